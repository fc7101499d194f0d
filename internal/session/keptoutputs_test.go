package session_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/testing/clientfstest"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A long output of a session that a client keeps is in the client's storage. The model reads it
// there, under the path that it was given, without anyone being asked.
func TestLongOutputsOfAKeptSessionCanBeRead(t *testing.T) {
	var path string
	d := &desk{fs: vfs.NewMem(), tools: func(h tool.Host) session.Toolbox {
		return session.Toolbox{Tools: append(tool.Files(h, nil), tool.Search(h)...)}
	}}
	reads := func(name, args string) modeltest.Reply {
		return modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c-"+name, name, args)}}
	}
	bubble(t, d, func(d *desk) {
		f := &clientfstest.Client{}
		k := connect(f)
		defer k.leave()
		s := d.createWith(tools("lookup"), k)
		s.send("Look.")
		s.answer(`"result":"` + strings.Repeat(`line\n`, 20_000) + `the needle"`)
		s.until("session.idle")
		result := field(last(t, s.told, "tool.execution_complete"), "result", "content")
		path = regexp.MustCompile(`/state/temp/\S+`).FindString(result)
		if path == "" || f.File("s1", path) == "" || strings.Contains(result, "/home/") {
			t.Fatalf("the result names %q: %.200s", path, result)
		}
		d.model.Add(
			reads("view", `{"path":"`+path+`","view_range":[20001,20001]}`),
			reads("grep", `{"path":"`+path+`","pattern":"needle","output_mode":"content"}`),
			modeltest.Reply{Text: "ok"},
		)
		s.send("And now?")
		s.until("session.idle")
		requests := d.model.Requests()
		all := string(requests[len(requests)-1].Raw)
		for _, want := range []string{"20001. the needle", path + ":20001:the needle"} {
			if !strings.Contains(all, want) {
				t.Errorf("the model does not read %q", want)
			}
		}
		if n := count(s.rest(), "permission.requested"); n > 0 {
			t.Errorf("%d permissions were requested", n)
		}
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"it"}`)}}, modeltest.Reply{Text: "ok"})
}

// Names that the workspace does not use are files of this machine, also if the client's folder is
// the root.
func TestOtherPathsAreNotInTheStorageOfTheClient(t *testing.T) {
	for path, want := range map[string]bool{
		"/state/temp/x": true, "/state/plan.md": true, "/state/events.jsonl": true, "/state/files/a/b": true, "/state/temp/../temp/x": true,
		"/state/temp/../../etc/passwd": false, "/state/main.go": false, "/state": false, "/statement/temp/x": false, "temp/x": false, "/temp/x": false,
	} {
		var host tool.Host
		d := &desk{fs: vfs.NewMem(), tools: func(h tool.Host) session.Toolbox { host = h; return session.Toolbox{} }}
		bubble(t, d, func(d *desk) {
			k := connect(&clientfstest.Client{})
			defer k.leave()
			s := d.createWith(wire.Config{SessionID: "s1"}, k)
			s.send("Hi.")
			s.until("session.idle")
			if got := host.Stored(path) != nil; got != want {
				t.Errorf("%s is in the storage: %v, want %v", path, got, want)
			}
		}, modeltest.Reply{Text: "ok"})
	}
}

// A client that keeps sessions finds those that it created or resumed, open or not, and any other by
// its id.
func TestListsOfKeptSessions(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		ctx := context.Background()
		f := &clientfstest.Client{}
		k := connect(f)
		s := d.createWith(wire.Config{SessionID: "s1"}, k)
		s.send("What is 1 + 1?")
		s.until("session.idle")
		ids := func(k *keeper) (ids []string) {
			list, err := d.reg.KeptBy(k.storage).List(ctx, wire.SessionContext{Cwd: "/work"})
			if err != nil {
				t.Error(err)
			}
			for _, m := range list {
				ids = append(ids, m.SessionID+" "+m.Summary)
			}
			return ids
		}
		want := []string{"s1 What is 1 + 1?"}
		if diff := cmp.Diff(want, ids(k)); diff != "" {
			t.Errorf("open (-want +got):\n%s", diff)
		}
		if err := s.client.Detach(ctx); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, ids(k)); diff != "" {
			t.Errorf("closed (-want +got):\n%s", diff)
		}
		k.leave()
		back := connect(f)
		defer back.leave()
		if got := ids(back); got != nil {
			t.Errorf("a new connection lists %q", got)
		}
		for id, want := range map[string]bool{"s1": true, "none": false} {
			if m, err := d.reg.KeptBy(back.storage).Metadata(ctx, id); err != nil || (m != nil) != want {
				t.Errorf("Metadata(%s) = %v, %v", id, m, err)
			}
		}
	}, modeltest.Reply{Text: "two"})
}
