package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// shelf has the skills of its keys.
type shelf map[string]wire.Data

func (s shelf) SkillListing() string {
	if len(s) == 0 {
		return ""
	}
	return "<available_skills>\n- known: x\n</available_skills>"
}

func (s shelf) LoadSkill(_ context.Context, _, name string) ([]wire.Data, error) {
	if e, ok := s[name]; ok {
		return []wire.Data{e}, nil
	}
	return nil, errors.New("there is no skill " + name)
}

func TestSkillTool(t *testing.T) {
	e := &wire.SkillInvoked{Name: "known"}
	skill := tool.NewSkill(shelf{"known": e})
	def := skill.Definition()
	if !strings.HasSuffix(def.Description, "\n\n<available_skills>\n- known: x\n</available_skills>") || def.Origin != tool.Builtin {
		t.Errorf("definition %+v", def)
	}
	if got := tool.NewSkill(shelf{}).Definition().Description; !strings.HasSuffix(got, "There are no skills in this session.") {
		t.Errorf("without skills: %q", got)
	}
	run := func(ctx context.Context, sent string) tool.Result {
		args, err := tool.NewSchema(def.Parameters).Arguments(sent)
		if err != nil {
			return tool.Result{Text: "schema: " + err.Error()}
		}
		return skill.Run(ctx, tool.Call{Arguments: args})
	}
	got := run(t.Context(), `{"skill":"known"}`)
	if got.Outcome != tool.Success || len(got.After) != 1 || got.After[0] != e ||
		got.Text != `Skill "known" loaded successfully. Follow the instructions in the skill context.` {
		t.Errorf("loaded: %+v", got)
	}
	if got := run(t.Context(), `{"skill":"nope"}`); got.Outcome != tool.Failure || got.Text != "The skill was not loaded: there is no skill nope" || got.After != nil {
		t.Errorf("unknown: %+v", got)
	}
	if got := run(t.Context(), `{}`); !strings.HasPrefix(got.Text, "schema: ") {
		t.Errorf("no argument: %+v", got)
	}
	if got := skill.Run(t.Context(), tool.Call{Arguments: json.RawMessage(`[]`)}); got.Outcome != tool.Failure {
		t.Errorf("no object: %+v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := run(ctx, `{"skill":"known"}`); got.Outcome != tool.Interrupted || got.Text != tool.TextInterrupted {
		t.Errorf("aborted: %+v", got)
	}
}
