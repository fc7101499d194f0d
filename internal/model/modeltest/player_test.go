package modeltest_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/modeltest"
)

// workDir needs no files: players only compare text.
const workDir = "/tmp/Some Dir.x/work"

// recordings is where the recorded conversations of the SDKs' tests are, next to
// the repository.
const recordings = "../../../../shared/recordings"

// recorded returns every recording's file.
func recorded(t *testing.T) []string {
	t.Helper()
	if _, err := os.Stat(recordings); err != nil {
		t.Skipf("no recorded conversations: %s is not there; it is beside the repository, not in it", recordings)
	}
	files, err := filepath.Glob(filepath.Join(recordings, "*", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings under %s: %v", recordings, err)
	}
	return files
}

func load(t *testing.T, file string) *modeltest.Recording {
	t.Helper()
	rec, err := modeltest.LoadRecording(file)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func TestEveryRecordedPrefixIsAnsweredWithWhatTheModelSaid(t *testing.T) {
	points := 0
	for _, file := range recorded(t) {
		rec := load(t, file)
		if rec.Failures != nil {
			continue // its first prefix is answered by the failure, as tested below
		}
		t.Run(strings.TrimPrefix(file, recordings+"/"), func(t *testing.T) { points += replay(t, rec) })
	}
	if points < 537 { // source: conformance.md, which counts a run of messages once
		t.Errorf("replayed %d points, want at least 537", points)
	}
}

// replay asks for every assistant message of rec in turn and returns how many
// there are.
func replay(t *testing.T, rec *modeltest.Recording) (points int) {
	p := modeltest.Play(rec, workDir)
	defer p.Close()
	client := model.New(model.Options{Transport: p.Transport(), Retry: model.Retry{Attempts: 1}})
	for _, c := range rec.Conversations {
		for i, m := range c {
			if m.Role != "assistant" {
				continue
			}
			points++
			got, err := client.Stream(t.Context(), endpoint, request(c[:i]), nil)
			if err != nil {
				t.Fatalf("message %d: %v\n%s", i, err, p.Mismatch())
			}
			if want := saidAt(rec, c, i); !cmp.Equal(asMessage(got), want) {
				t.Errorf("message %d (-want +got):\n%s", i, cmp.Diff(want, asMessage(got)))
			}
		}
	}
	return points
}

var endpoint = model.Endpoint{Kind: model.Copilot, BaseURL: "http://model.test"}

// request is a live form of recorded messages: real paths and names, other ids,
// wrappers the runtime adds.
func request(c []modeltest.Message) model.Request {
	req := model.Request{Model: "claude-sonnet-4.5"}
	for _, m := range c {
		out := model.Message{Role: model.Role(m.Role), Content: expand(m.Content), ToolCallID: otherID(m.ToolCallID)}
		if m.Role == "user" {
			out.Content = "<current_datetime>2026-01-01</current_datetime>\n" + out.Content
		}
		for _, call := range m.ToolCalls {
			call = realCall(call)
			out.ToolCalls = append(out.ToolCalls, model.ToolCall{ID: otherID(call.ID), Name: call.Name, Arguments: call.Arguments})
		}
		req.Messages = append(req.Messages, out)
	}
	return req
}

func expand(s string) string { return strings.ReplaceAll(s, "${workdir}", workDir) }

func otherID(id string) string { return strings.Replace(id, "toolcall_", "tooluse_x", 1) }

func realCall(c modeltest.ToolCall) modeltest.ToolCall {
	names := map[string]string{"${shell}": "bash", "${read_shell}": "read_bash", "${write_shell}": "write_bash"}
	if name, ok := names[c.Name]; ok {
		c.Name = name
	}
	c.Arguments = expand(c.Arguments)
	return c
}

// saidAt is the answer due at c[i]: the run of assistant messages from there, of
// the first conversation that begins like c.
func saidAt(rec *modeltest.Recording, c []modeltest.Message, i int) (said modeltest.Message) {
	first := slices.IndexFunc(rec.Conversations, func(o []modeltest.Message) bool {
		return len(o) > i && o[i].Role == "assistant" && slices.EqualFunc(o[:i], c[:i], sameSoFar)
	})
	for _, m := range rec.Conversations[first][i:] {
		if m.Role != "assistant" {
			break
		}
		said.Content += expand(m.Content)
		for _, call := range m.ToolCalls {
			said.ToolCalls = append(said.ToolCalls, realCall(call))
		}
	}
	return said
}

// sameSoFar compares messages but for the list of tools a recording may hold.
func sameSoFar(a, b modeltest.Message) bool {
	a.Content, _, _ = strings.Cut(a.Content, " Available tools that can be called are ")
	b.Content, _, _ = strings.Cut(b.Content, " Available tools that can be called are ")
	return cmp.Equal(a, b)
}

func asMessage(r *model.Response) (m modeltest.Message) {
	m.Content = r.Text
	for _, c := range r.ToolCalls {
		m.ToolCalls = append(m.ToolCalls, modeltest.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
	}
	return m
}

func TestPlayerStreamsTheFirstChoiceOnly(t *testing.T) {
	rec := &modeltest.Recording{Conversations: [][]modeltest.Message{{
		{Role: "system"}, {Role: "assistant", Content: strings.Repeat("é", 450)}, {Role: "assistant", Content: "lost"},
	}}}
	p := modeltest.Play(rec, "")
	defer p.Close()
	req := model.Request{Model: "m", Stream: true, Messages: []model.Message{{Role: model.RoleSystem}}}
	var sizes []int
	got, err := model.New(model.Options{Transport: p.Transport()}).Stream(t.Context(), endpoint, req,
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
	client := model.New(model.Options{Transport: p.Transport()})
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
		_, err := model.New(model.Options{Transport: p.Transport()}).Stream(ctx, endpoint, req, nil)
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
	_, err := model.New(model.Options{Transport: p.Transport(), Retry: model.Retry{Attempts: 1}}).Stream(t.Context(), endpoint, req, nil)
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
