package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/quarantine"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// What something in the background has made is named before the session is idle, and a client can list it and
// give it its name back.
func TestWhatWasMovedAsideIsNamedAtTheEndOfARun(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	envrc := filepath.Join(dir, ".envrc")
	boxes := sandbox.NewHost(sandbox.Options{}).Boxes(t.TempDir())
	d := &desk{fs: vfs.NewMem(), opts: registry.Options{Home: "/home"}}
	d.tools = func(tool.Host) session.Toolbox {
		guard := quarantine.Open(d.fs, "/home").Guard(quarantine.Options{Session: "s1", Boxes: boxes, Servers: boxes, Runs: func(string) string { return "" }})
		guard.Begin(sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{dir}, ProtectNames: []string{".envrc"}}) // and the command goes on
		if err := os.WriteFile(envrc, []byte("evil"), 0o644); err != nil {
			t.Error(err)
		}
		return session.Toolbox{Guard: guard, Close: guard.Close}
	}
	bubble(t, d, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1", WorkingDirectory: dir})
		d.model.Add(modeltest.Reply{Text: "Done."})
		s.send("Go.")
		s.until("session.idle")
		warning := last(t, s.told, "session.warning")
		if !strings.Contains(field(warning, "message"), envrc) || !strings.Contains(string(warning.Data), `"movedAside":[{"path":"`+envrc) {
			t.Errorf("%s", warning.Data)
		}
		aside := session.Quarantine(s.s)
		list, err := aside.List(d.t.Context())
		if err != nil || len(list) != 1 || list[0].Path != envrc {
			t.Fatalf("%+v, %v", list, err)
		}
		if _, err := aside.Allow(d.t.Context(), wire.TakeBack{Path: "../other/.envrc"}); fault.KindOf(err) != fault.NotFound {
			t.Errorf("outside of the folder: %v", err)
		}
		if item, err := aside.Allow(d.t.Context(), wire.TakeBack{Path: ".envrc"}); err != nil || item.Path != envrc {
			t.Errorf("%+v, %v", item, err)
		}
		if text, err := os.ReadFile(envrc); string(text) != "evil" {
			t.Errorf("%q, %v", text, err)
		}
	})
}
