//go:build unix

package shell_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/shell"
)

// A call that waits for a command returns when the command is moved to the background; the command
// goes on, and can be read and waited for.
func TestBackground(t *testing.T) {
	s, dir := open(t, shell.Options{})
	if moved := s.Background(); moved != nil {
		t.Errorf("nothing runs, and %+v was moved", moved)
	}
	began := make(chan struct{})
	var moved []shell.Info
	done := make(chan struct{})
	go func() {
		defer close(done)
		<-began
		moved = s.Background()
	}()
	first := true
	r, err := s.Run(t.Context(), shell.Command{Text: "echo begins; until test -e go; do sleep 0.01; done; echo ends", Dir: dir, Mode: shell.Sync, Wait: enough, OnOutput: func(string) {
		if first {
			first = false
			close(began)
		}
	}})
	<-done
	if err != nil || !r.Running || !r.Parted || r.Output != "begins\n" {
		t.Fatalf("%+v, %v", r, err)
	}
	if len(moved) != 1 || moved[0].Shell != r.Shell || !strings.HasPrefix(moved[0].Text, "echo begins") {
		t.Errorf("moved were %+v", moved)
	}
	if again := s.Background(); again != nil {
		t.Errorf("no call waits, and %+v was moved", again)
	}
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	said := ""
	for r.Running {
		if r, err = s.Read(context.Background(), r.Shell, enough); err != nil || r.Parted {
			t.Fatalf("%+v, %v", r, err)
		}
		said += r.Output
	}
	if said != "ends\n" || r.Code != 0 {
		t.Errorf("it ended with %d after %q", r.Code, said)
	}
}

// A command that its call has left running is passed on when it has ended, once, unless a report has
// told its end; one that Close ends is not.
func TestEndInTheBackground(t *testing.T) {
	s, dir := open(t, shell.Options{})
	ends := make(chan shell.Info, 10)
	s.OnEnd(func(i shell.Info) { ends <- i })
	start := func(text string, mode shell.Mode) shell.Report {
		r, err := s.Run(t.Context(), shell.Command{Text: text, Dir: dir, Mode: mode})
		if err != nil || !r.Running {
			t.Fatalf("%s: %+v, %v", text, r, err)
		}
		return r
	}
	run(t, s, dir, "mkfifo a b c")
	for mode, code := range map[shell.Mode]int{shell.Sync: 3, shell.Async: 0} {
		r := start(fmt.Sprintf("read x <a; exit %d", code), mode)
		run(t, s, dir, "echo x >a")
		if i := <-ends; i.Shell != r.Shell || i.Running || i.Code != code || !strings.HasPrefix(i.Text, "read x <a") {
			t.Errorf("%s: %+v", mode, i)
		}
		if read, err := s.Read(t.Context(), r.Shell, enough); err != nil || read.Running || read.Code != code {
			t.Errorf("%s: the end is not read any more: %+v, %v", mode, read, err)
		}
	}
	r := start("read x <b; exit 4", shell.Sync)
	read := make(chan shell.Report)
	go func() {
		r, _ := s.Read(context.Background(), r.Shell, enough)
		read <- r
	}()
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Read(canceled, r.Shell, enough); err == nil {
		t.Error("a call that is canceled has a report")
	}
	for len(s.Background()) == 0 { // until the other call waits
	}
	if r := <-read; !r.Running {
		t.Fatalf("%+v", r)
	}
	run(t, s, dir, "echo x >b")
	if i := <-ends; i.Code != 4 {
		t.Errorf("%+v", i)
	}
	if r := start("sleep 1000", shell.Sync); true {
		if stopped, err := s.Stop(t.Context(), r.Shell); err != nil || !stopped.Stopped {
			t.Errorf("%+v, %v", stopped, err)
		}
	}
	start("read x <c", shell.Sync)
	s.Close()
	if len(ends) > 0 {
		t.Errorf("the end of a command that was stopped, or of one that Close has ended, was passed on: %+v", <-ends)
	}
}
