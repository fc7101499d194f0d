package modeltest_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
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
	client := model.New(model.Options{Transport: p.Transport(), Retry: model.Retry{Attempts: 1}}, chat.New())
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
