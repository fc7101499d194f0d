//go:build unix

package proctree

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// killer is the variable of the environment that has the test program kill the tree of a process id.
const killer = "SIDESTICK_PROCTREE_KILLER"

func TestMain(m *testing.M) {
	if os.Getenv(killer) != "" {
		killTree()
		return
	}
	if code, ran := RunKeeper(os.Args[1:]); ran {
		os.Exit(code)
	}
	if os.Getenv(removed) != "" {
		if err := startRemoved(); err != nil {
			_, _ = os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// removed is the variable that has a copy of the test program remove its own file and start a program with
// a keeper.
const removed = "PROCTREE_TEST_REMOVED"

// startRemoved is the main function of that copy.
func startRemoved() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.Remove(self); err != nil {
		return err
	}
	cmd := exec.Command("/bin/echo", "started")
	cmd.Env, cmd.Stdout = []string{}, os.Stdout
	k, err := Start(Self(), cmd)
	if err != nil {
		return err
	}
	if code := k.Wait(); code != 0 {
		return fmt.Errorf("exit code %d", code)
	}
	return nil
}

// killTree kills the tree of the id in the variable killer, in each way, and prints that it is alive.
func killTree() {
	id, err := strconv.Atoi(os.Getenv(killer))
	if err != nil {
		os.Exit(2)
	}
	if id < 0 {
		id = -os.Getpid()
	}
	for _, t := range []Tree{{}, NewTree(id)} {
		t.KillOnce()
		t.KillAll()
		t.KillOffspring()
	}
	_, _ = os.Stdout.WriteString("alive") // the test reads it
}

// A process id that is not known yet is 0. The tree of such an id kills nothing, least of all the
// program itself or the group that it belongs to.
func TestTheTreeOfNoProcessKillsNothing(t *testing.T) {
	for _, id := range []int{1, 0, -1} {
		if NewTree(id).leader != 0 { // not tried for real: it would end this machine's processes
			t.Fatalf("NewTree(%d) has a leader", id)
		}
		beside := exec.Command("/bin/sh", "-c", "sleep 300") // in the killer's group, and its parent is another one
		beside.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := beside.Start(); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), killer+"="+strconv.Itoa(id))
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: beside.Process.Pid}
		out, err := cmd.CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != "alive" {
			t.Errorf("id %d: %v: %q", id, err, out)
		}
		_ = beside.Process.Signal(syscall.SIGTERM) // it may have been killed
		if err := beside.Wait(); ExitCode(beside.ProcessState) != 128+int(syscall.SIGTERM) {
			t.Errorf("id %d: the other process of the group did not live until the SIGTERM of this test: %v", id, err)
		}
	}
}
