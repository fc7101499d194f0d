package session_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/clientfs/clientfstest"
	"github.com/sidestick-dev/sidestick/internal/model/modeltest"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A long output of a session that a client keeps is in the client's storage. The model reads it
// there, under the path that it was given, without anyone being asked.
func TestLongOutputsOfAKeptSessionCanBeRead(t *testing.T) {
	var path string
	d := &desk{fs: vfs.NewMem(), tools: func(h tool.Host) session.Toolbox {
		return session.Toolbox{Tools: append(tool.Files(h), tool.Search(h)...)}
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
