//go:build unix

package shell_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/shell"
)

// doomed is set, to a way of running a command, where this test program is the process that gets
// SIGKILL while the command runs.
const doomed = "SHELL_TEST_DOOMED"

// liveDoomed runs a command that never ends, which prints a line when it and a daemon have begun.
func liveDoomed(how string) int {
	const text = "(setsid sleep 300 >/dev/null 2>&1 &); echo begun >&2; sleep 300; :"
	dir := os.Getenv("SHELL_TEST_DIR")
	begun := func(string) { fmt.Println("begun") }
	opts := shell.Options{Temp: filepath.Join(dir, "temp"), Keeper: os.Args[0]}
	c := shell.Command{Text: text, Dir: dir, Mode: shell.Mode(how), Wait: enough, OnOutput: begun}
	var err error
	switch how {
	case "script":
		fmt.Println("begun")
		_, err = shell.RunScript(context.Background(), shell.Script{Text: text, Dir: dir, Keeper: os.Args[0]})
	case "user":
		var r *shell.Running
		if r, err = shell.Start(os.Args[0], shell.Script{Text: text, Dir: dir}, begun); err == nil {
			r.Wait()
		}
	default:
		_, err = shell.New(opts).Run(context.Background(), c)
	}
	fmt.Println("ended", err)
	return 1
}

// Whichever way a command was started, SIGKILL to this program ends it with everything that it has
// started. Only a detached command outlives it, which is what it is for.
func TestCommandsEndWithAKilledProcess(t *testing.T) {
	bash(t)
	for _, how := range []string{"sync", "async", "script", "user"} {
		t.Run(how, func(t *testing.T) {
			opts := marked(t)
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(opts.Env, doomed+"="+how, "SHELL_TEST_DIR="+t.TempDir())
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			line, _ := bufio.NewReader(out).ReadString('\n')
			if line != "begun\n" {
				t.Errorf("it said %q", line)
			}
			for late := time.Now().Add(enough); len(living(t, opts)) < 3 && time.Now().Before(late); { // it, the command and the daemon
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // killed
			left := living(t, opts)
			for late := time.Now().Add(enough); len(left) > 0 && time.Now().Before(late); {
				left = living(t, opts)
			}
			for _, command := range left {
				t.Errorf("still alive: %s", command)
			}
		})
	}
}

// A command may kill its keeper, on purpose or with "pkill -f". What it has started ends all the same.
func TestACommandThatKillsItsKeeperEnds(t *testing.T) {
	opts := marked(t)
	s, dir := open(t, opts)
	r, err := s.Run(t.Context(), shell.Command{Text: "sleep 300 & kill -9 $PPID; sleep 300", Dir: dir, Mode: shell.Sync, Wait: enough})
	if err != nil || r.Running || r.Code != 137 {
		t.Errorf("Run = %+v, %v; want exit status 137", r, err)
	}
	for late := time.Now().Add(enough); len(living(t, opts)) > 0; {
		if time.Now().After(late) {
			t.Fatalf("still alive: %q", living(t, opts))
		}
	}
	if r := run(t, s, dir, "echo again"); r.Output != "again\n" {
		t.Errorf("the next command printed %q", r.Output)
	}
}
