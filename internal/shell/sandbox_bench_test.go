//go:build linux

package shell_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/testing/attempt"
)

// BenchmarkShell measures one short command: in a persistent shell and in a fresh one, outside of
// any sandbox and in each kind of one.
func BenchmarkShell(b *testing.B) {
	for _, fresh := range []bool{false, true} {
		for _, where := range []string{"plain", "namespaces", "landlock"} {
			name := "persistent/" + where
			if fresh {
				name = "fresh/" + where
			}
			b.Run(name, func(b *testing.B) { benchmarkShell(b, where, fresh) })
		}
	}
}

func benchmarkShell(b *testing.B, where string, fresh bool) {
	state := b.TempDir()
	opts := shell.Options{Temp: filepath.Join(state, "temp")}
	work := b.TempDir()
	c := shell.Command{Text: "/usr/bin/true", Dir: work, Start: work, FreshShell: fresh, Mode: shell.Sync, Wait: time.Minute}
	if where != "plain" {
		bwrap := map[string]string{"landlock": "-"}[where]
		host := sandbox.NewHost(sandbox.Options{State: state, Bwrap: bwrap})
		if s := host.Support(); !s.Has(sandbox.ReadOnly) || (bwrap == "") == s.Weaker() {
			attempt.Missing(b, fmt.Sprint("no such sandbox works here: ", s.Parts))
		}
		boxes := host.Boxes(filepath.Join(state, "boxes"))
		defer boxes.Close()
		opts.Sandbox, c.Sandbox = boxes, &sandbox.Policy{Mode: sandbox.ReadOnly, Folders: []string{work}}
	}
	s := shell.New(opts)
	defer s.Close()
	run := func() {
		if r, err := s.Run(b.Context(), c); err != nil || r.Code != 0 || r.Running {
			b.Fatalf("%+v, %v", r, err)
		}
	}
	run()
	for b.Loop() {
		run()
	}
}

// BenchmarkFirstCommand measures the first command of a session, with the start of its sandbox.
func BenchmarkFirstCommand(b *testing.B) {
	state := b.TempDir()
	host := sandbox.NewHost(sandbox.Options{State: state})
	if s := host.Support(); !s.Has(sandbox.WorkspaceWrite) {
		attempt.Missing(b, fmt.Sprint("no sandbox works here: ", s.Parts))
	}
	work := b.TempDir()
	for b.Loop() {
		boxes := host.Boxes(filepath.Join(state, "boxes"))
		s := shell.New(shell.Options{Temp: filepath.Join(state, "temp"), Sandbox: boxes})
		c := shell.Command{
			Text: "/usr/bin/true", Dir: work, Mode: shell.Sync, Wait: time.Minute, Sandbox: &sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{work}},
		}
		if r, err := s.Run(b.Context(), c); err != nil || r.Code != 0 {
			b.Fatalf("%+v, %v", r, err)
		}
		b.StopTimer()
		s.Close()
		boxes.Close()
		b.StartTimer()
	}
}
