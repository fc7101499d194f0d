package modeltest_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

var endpoint = model.Endpoint{Copilot: true, BaseURL: "http://model.test"}

func TestPlayerStreamsTheFirstChoiceOnly(t *testing.T) {
	rec := &modeltest.Recording{Conversations: [][]modeltest.Message{{
		{Role: "system"}, {Role: "assistant", Content: strings.Repeat("é", 450)}, {Role: "assistant", Content: "lost"},
	}}}
	p := modeltest.Play(rec, "")
	defer p.Close()
	req := model.Request{Model: "m", Stream: true, Messages: []model.Message{{Role: model.RoleSystem}}}
	var sizes []int
	got, err := model.New(model.Options{Transport: p.Transport()}, chat.New()).Stream(t.Context(), endpoint, req,
		func(d model.Delta) { sizes = append(sizes, len([]rune(d.Text))) })
	if err != nil || got.Text != strings.Repeat("é", 450) {
		t.Errorf("got %q, %v; want the first choice alone", got.Text, err)
	}
	if want := []int{200, 200, 50}; !slices.Equal(sizes, want) {
		t.Errorf("pieces of %v characters, want %v", sizes, want)
	}
	if got.Usage.Reported {
		t.Error("usage reported; a played stream has none")
	}
}

func TestPlayerAnswersAStoredFailureForItsModelOnly(t *testing.T) {
	asked := []modeltest.Message{{Role: "system"}}
	rec := &modeltest.Recording{
		Failures: []modeltest.RecordedFailure{{
			Model: "a", Status: 429, Code: "user_weekly_rate_limited", Message: "weekly", RetryAfter: 1, Messages: asked,
		}},
		Conversations: [][]modeltest.Message{append(asked, modeltest.Message{Role: "assistant", Content: "fine"})},
	}
	p := modeltest.Play(rec, "")
	defer p.Close()
	client := model.New(model.Options{Transport: p.Transport()}, chat.New())
	req := model.Request{Model: "a", Messages: []model.Message{{Role: model.RoleSystem}}}
	_, err := client.Stream(t.Context(), endpoint, req, nil)
	var e *model.Error
	if !errors.As(err, &e) || e.Code != "user_weekly_rate_limited" || e.RetryAfter != time.Second {
		t.Errorf("error %v, want the stored 429 with Retry-After 1 s", err)
	}
	req.Model = "b"
	if got, err := client.Stream(t.Context(), endpoint, req, nil); err != nil || got.Text != "fine" {
		t.Errorf("another model: %v, %v; want the conversation's answer", got, err)
	}
}

func TestAConversationRecordedWithoutAnAnswerNeverEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := &modeltest.Recording{Conversations: [][]modeltest.Message{{{Role: "system"}}}}
		p := modeltest.Play(rec, "")
		defer p.Close()
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, nil)
		defer cancel()
		req := model.Request{Model: "m", Messages: []model.Message{{Role: model.RoleSystem}}}
		_, err := model.New(model.Options{Transport: p.Transport()}, chat.New()).Stream(ctx, endpoint, req, nil)
		if !errors.Is(err, context.DeadlineExceeded) || fault.KindOf(err) != fault.Unavailable {
			t.Errorf("got %v, want to wait until the caller gave up", err)
		}
	})
}

func TestAMismatchIsExplained(t *testing.T) {
	rec := &modeltest.Recording{Conversations: [][]modeltest.Message{{
		{Role: "system"}, {Role: "user"}, {Role: "assistant", Content: "x"},
	}}}
	p := modeltest.Play(rec, "")
	defer p.Close()
	req := model.Request{Model: "m", Messages: []model.Message{{Role: model.RoleSystem}, {Role: model.RoleUser, Content: "stray"}}}
	_, err := model.New(model.Options{Transport: p.Transport(), Retry: model.Retry{Attempts: 1}}, chat.New()).Stream(t.Context(), endpoint, req, nil)
	var e *model.Error
	if !errors.As(err, &e) || e.Status != http.StatusInternalServerError {
		t.Errorf("got %v, want 500", err)
	}
	if why := p.Mismatch(); !strings.Contains(why, "message 1 differs") || !strings.Contains(why, "stray") {
		t.Errorf("Mismatch() = %q, want the first differing message with both texts", why)
	}
}

func TestPathsWithAQueryAreNotFound(t *testing.T) {
	p := modeltest.Play(&modeltest.Recording{}, "")
	defer p.Close()
	for path, want := range map[string]int{"/models": 200, "/models?x=1": 404, "/v1/models": 404, "/user": 404} {
		resp, err := (&http.Client{Transport: p.Transport()}).Get("http://model.test" + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("GET %s = %d, want %d", path, resp.StatusCode, want)
		}
	}
}
