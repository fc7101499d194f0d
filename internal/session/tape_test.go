package session_test

import (
	"context"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model/tape"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/session/taped"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A client names a recording in its provider, and the model calls of its session are answered from
// that, in the dialect and with the model of the recording. Other sessions call the model.
func TestAProviderMayBeARecording(t *testing.T) {
	disk := vfs.NewMem()
	rec, err := tape.Record(tape.RecorderOptions{Path: "/run.jsonl", FS: disk})
	if err != nil {
		t.Fatal(err)
	}
	bubble(t, &desk{fs: disk, opts: registry.Options{Tape: taped.Tape{Recorder: rec}}}, func(d *desk) {
		s := d.create(wire.Config{SessionID: "recorded"})
		s.send("Hello")
		s.until("session.idle")
		calls := len(d.model.Requests())
		s = d.create(wire.Config{SessionID: "replayed", Provider: &wire.Provider{Replay: "/run.jsonl"}})
		s.send("Hello")
		s.until("session.idle")
		if got := field(last(t, s.told, "assistant.message"), "content"); got != "Good day." {
			t.Errorf("the answer is %q", got)
		}
		s.send("Something else")
		failed := s.until("session.error")
		if text := field(failed, "message"); field(failed, "errorType") != "replay" || !strings.Contains(text, "is not in the recording /run.jsonl") {
			t.Errorf("%s: %s", field(failed, "errorType"), text)
		}
		s.until("session.idle")
		if n := len(d.model.Requests()); n != calls {
			t.Errorf("the replay has called the model %d times", n-calls)
		}
	}, modeltest.Reply{Text: "Good day."})
	if err := rec.Close(); err != nil {
		t.Error(err)
	}
}

func TestRecordingsThatAProviderMayNotName(t *testing.T) {
	disk := vfs.NewMem()
	if err := vfs.WriteFileAtomic(disk, "/note.txt", []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	const agents = `{"type":"recording","version":1}` + "\n" +
		`{"type":"call","model":{"name":"a","dialect":"copilot-extensions","baseUrl":"https://a.example"},"request":{"method":"POST","url":"https://a.example"},"failure":"x"}` + "\n"
	if err := vfs.WriteFileAtomic(disk, "/agent.jsonl", []byte(agents), 0o600); err != nil {
		t.Fatal(err)
	}
	inBubble(t, disk, func(d *desk) {
		for _, tc := range []struct {
			name string
			cfg  wire.Config
			want string
		}{
			{"of a client on another machine", wire.Config{Remote: true, Provider: &wire.Provider{Replay: "/run.jsonl"}}, "a client on another machine cannot have this one read a file"},
			{"missing", wire.Config{Provider: &wire.Provider{Replay: "/run.jsonl"}}, "/run.jsonl: the recording cannot be used: file does not exist"},
			{"relative", wire.Config{Provider: &wire.Provider{Replay: "run.jsonl"}}, `"run.jsonl" is not an absolute path`},
			{"another file", wire.Config{Provider: &wire.Provider{Replay: "/note.txt"}}, "line 1: it is not a JSON object"},
			{"an agent", wire.Config{Provider: &wire.Provider{Type: "extension", BaseURL: "https://a.example", Replay: "/note.txt"}}, "it does not work for Copilot Extensions agents"},
			{"of an agent, which would be called", wire.Config{Provider: &wire.Provider{Replay: "/agent.jsonl"}}, "/agent.jsonl is a recording of a Copilot Extensions agent"},
			{"tools of none", wire.Config{Provider: &wire.Provider{ReplayTools: true, BaseURL: "http://x/v1"}}, "replayTools is set, and no recording is named"},
			{"of one of several", wire.Config{Providers: []wire.NamedProvider{{Name: "near", Provider: wire.Provider{Replay: "/note.txt", BaseURL: "http://x/v1"}}}}, "a recording can only answer for the one provider"},
		} {
			c, err := d.reg.Create(context.Background(), tc.cfg, nil)
			if c != nil || fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: %v, want %s", tc.name, err, tc.want)
			}
		}
	})
}
