package session_test

import (
	"context"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/clientfstest"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// leftHere are the files that sessions which clients keep have on this machine.
func leftHere(t *testing.T, fs vfs.FS) (files []string) {
	t.Helper()
	const root = "/home/session-state/.kept-by-client"
	processes, _ := fs.ReadDir(root) // none: there is nothing
	for _, p := range processes {
		sessions, _ := fs.ReadDir(root + "/" + p.Name()) // none for the lock
		for _, s := range sessions {
			files = append(files, root+"/"+p.Name()+"/"+s.Name())
		}
	}
	return files
}

// A process that is killed leaves temporary files of sessions that its clients keep. The next one
// with such a session removes them, and not those of a process that lives.
func TestFilesOfKeptSessionsDoNotStay(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		var leave []context.CancelFunc
		keep := func(reg *registry.Registry, id string) {
			k := connect(&clientfstest.Client{})
			leave = append(leave, k.leave)
			c, err := reg.Create(context.Background(), wire.Config{SessionID: id}, k)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Session().Workspace().UpdatePlan(context.Background(), "# Plan"); err != nil {
				t.Fatal(err)
			}
			s := d.sit(c)
			s.send("go") // its tools get a copy of the plan
			s.until("session.idle")
		}
		const dead = "/home/session-state/.kept-by-client/dead"
		d.file(dead+"/x/plan.md", "# Plan")
		d.file(dead+".lock", "") // nobody holds it
		d.file("/home/session-state/.kept-by-client/half/x/plan.md", "# Plan")
		keep(d.reg, "s1")
		if got := leftHere(t, d.fs); len(got) != 1 || strings.HasPrefix(got[0], dead) {
			t.Fatalf("there are %q", got)
		}
		first := d.reg
		d.start(d.opts)
		keep(d.reg, "s2")
		if got := leftHere(t, d.fs); len(got) != 2 {
			t.Errorf("there are %q", got)
		}
		d.stop()
		if got := leftHere(t, d.fs); len(got) != 1 {
			t.Errorf("after the end of a process there are %q", got)
		}
		if err := first.Close(context.Background()); err != nil {
			t.Error(err)
		}
		for _, l := range leave {
			l()
		}
		if got := leftHere(t, d.fs); len(got) != 0 {
			t.Errorf("in the end there are %q", got)
		}
	}, modeltest.Reply{Text: "ok", Repeat: true})
}
