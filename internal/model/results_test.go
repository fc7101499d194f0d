package model_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/model"
)

func TestFilesOfResultsFollowThem(t *testing.T) {
	parts := []model.Part{{Text: "p"}, {ImageURL: "data:p"}, {Text: "q"}, {Document: &model.Document{Name: "q"}}}
	calls := model.Message{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: "a"}, {ID: "b"}}}
	plain := []model.Message{calls, {Role: model.RoleTool, ToolCallID: "a", Content: "1"}, {Role: model.RoleTool, ToolCallID: "b", Content: "2"}, {Role: model.RoleUser, Content: "go on"}}
	if got := model.TextResults(plain); &got[0] != &plain[0] {
		t.Error("a conversation without files was copied")
	}
	with := append([]model.Message{}, plain...)
	with[1].Parts = parts
	shown := []model.Message{{Role: model.RoleUser, Parts: parts[:2]}, {Role: model.RoleUser, Parts: parts[2:]}}
	want := []model.Message{plain[0], plain[1], plain[2], shown[0], shown[1], plain[3]}
	if d := cmp.Diff(want, model.TextResults(with)); d != "" {
		t.Errorf("before a message (-want +got):\n%s", d)
	}
	if d := cmp.Diff(want[:5], model.TextResults(with[:3])); d != "" {
		t.Errorf("at the end (-want +got):\n%s", d)
	}
	if with[1].Parts == nil {
		t.Error("the conversation of the caller was changed")
	}
}
