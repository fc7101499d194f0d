package tape_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/tape"
)

// A process that is killed loses the exchange under way. The exchanges that it has written are replayed, and the next
// process continues the file.
func TestAKilledProcessLosesOnlyTheLastExchange(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	live := recording(t, path, says("one"))
	live.must(endpoint, "first")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(data, `{"type":"call","at":"20`...), 0o600); err != nil {
		t.Fatal(err)
	}
	live.rec = nil // killed
	live.replay().must(endpoint, "first")
	next := recording(t, path, says("two"))
	next.must(endpoint, "second")
	again := next.replay()
	if one, two := again.must(endpoint, "first").Text, again.must(endpoint, "second").Text; one != "one" || two != "two" {
		t.Errorf("%s, %s", one, two)
	}
}

func TestFilesThatCannotBeUsed(t *testing.T) {
	head := `{"type":"recording","version":1}` + "\n"
	for _, tc := range []struct {
		name, content, want string
		kind                fault.Kind
	}{
		{"empty", "", "it is empty", fault.Invalid},
		{"blank", "\n\n", "it is empty", fault.Invalid},
		{"another file", "hello\n", "line 1: it is not a JSON object", fault.Invalid},
		{"a log", `{"type":"session.start"}` + "\n", "line 1: it is not the first line of a recording", fault.Invalid},
		{"another version", `{"type":"recording","version":2}` + "\n", "line 1: it has version 2, and this program reads version 1", fault.Invalid},
		{"a changed line", head + "{\"type\":\"call\"\n" + head + "x\n" + head + "{\n{\n", "line 6: it is not a JSON object", fault.Invalid},
		{"a call without a request", head + `{"type":"call"}` + "\n", "line 2: it has no request", fault.Invalid},
		{"a call without an answer", head + `{"type":"call","request":{"method":"POST","url":"http://x"}}` + "\n", "line 2: it has neither an answer nor a failure", fault.Invalid},
		{"a wrong field", head + `{"type":"call","request":7}` + "\n", "line 2: ", fault.Invalid},
		{"a wrong status", head + `{"type":"call","request":{"method":"POST","url":"http://x"},"answer":{"status":7}}` + "\n", "line 2: 7 is not an HTTP status", fault.Invalid},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.jsonl")
			if err := os.WriteFile(path, []byte(tc.content), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := tape.Open(tape.PlayerOptions{Path: path})
			if fault.KindOf(err) != tc.kind || err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("Open: %v, want %s", err, tc.want)
			}
			if strings.TrimSpace(tc.content) == "" {
				return // which can be recorded in
			}
			if _, err := tape.Record(tape.RecorderOptions{Path: path}); fault.KindOf(err) != fault.Invalid {
				t.Errorf("Record: %v", err)
			}
			if data, err := os.ReadFile(path); err != nil || string(data) != tc.content {
				t.Errorf("Record has changed the file: %q, %v", data, err)
			}
		})
	}
}

func TestPathsThatCannotBeUsed(t *testing.T) {
	dir := t.TempDir()
	open := filepath.Join(dir, "open.jsonl")
	empty := filepath.Join(dir, "empty.jsonl")
	for path, content := range map[string]string{open: `{"type":"recording","version":1}` + "\n", empty: ""} {
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := tape.Open(tape.PlayerOptions{Path: filepath.Join(dir, "missing")}); !errors.Is(err, fs.ErrNotExist) || fault.KindOf(err) != fault.NotFound {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := tape.Open(tape.PlayerOptions{Path: dir}); err == nil {
		t.Error("a folder is replayed")
	}
	for _, path := range []string{dir, filepath.Join(dir, "no", "such", "folder"), open, empty} {
		if rec, err := tape.Record(tape.RecorderOptions{Path: path}); err == nil {
			t.Errorf("%s is recorded in: %v", path, rec.Close())
		}
	}
}

// The results of tools and the decisions about them are found by call, each once.
func TestToolsAreRecordedAndReplayed(t *testing.T) {
	live := recording(t, filepath.Join(t.TempDir(), "a.jsonl"), says("ok"))
	call := tape.ToolCall{ID: "c1", Name: "bash", Arguments: []byte(`{"command":"cat /work/one/x"}`)}
	live.rec.Permission(live.place, call, tape.Verdict{Outcome: "rejected", Feedback: "not now"})
	live.rec.Tool(live.place, call, []byte(`{"text":"first of /work/one"}`))
	live.rec.Tool(live.place, call, []byte(`{"text":"second"}`))
	again := live.replay()
	call.Arguments = []byte(`{ "command": "cat /work/two/x" }`)
	if v, ok := again.player.Permission(again.place, call); v.Outcome != "rejected" || v.Feedback != "not now" || !ok {
		t.Errorf("%+v, %v", v, ok)
	}
	for _, want := range []string{`{"text":"first of /work/two"}`, `{"text":"second"}`} {
		if got, err := again.player.Tool(again.place, call); err != nil || string(got) != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
	if _, err := again.player.Tool(again.place, call); err == nil || again.player.Err() == nil {
		t.Error("a third call has a result")
	}
}

func FuzzOpen(f *testing.F) {
	f.Add([]byte(`{"type":"recording","version":1}` + "\n" + `{"type":"call","request":{"method":"POST","url":"http://x","body":{"a":1}},"answer":{"status":200,"pieces":[{"text":"x"}]}}`))
	f.Add([]byte(`{"type":"recording","version":1}` + "\n" + `{"type":"tool","tool":"bash","arguments":{}}` + "\n" + `{"type":"permission"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "a.jsonl")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := tape.Open(tape.PlayerOptions{Path: path})
		if err != nil {
			return
		}
		c := model.New(model.Options{Around: p.Around, Retry: model.Retry{Attempts: 1}}, chat.New())
		_, _ = c.Stream(t.Context(), model.Endpoint{BaseURL: "http://x"}, model.Request{Model: "m"}, nil) // any error, and no panic
	})
}
