package proctree

import (
	"bytes"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// mark is the variable of the environment by which a test finds the processes that it has caused.
const mark = "SIDESTICK_PROCTREE_MARK"

// marked are the processes that have the mark in their environment and have not ended.
func marked(t *testing.T, text string) (pids []string) {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		environ, err := os.ReadFile(name) // empty if it has ended
		if err == nil && bytes.Contains(environ, []byte(mark+"="+text)) {
			pids = append(pids, filepath.Base(filepath.Dir(name)))
		}
	}
	return pids
}

// A program starts daemons, one after the other, each of which loses its parent at once. Wherever
// its keeper finds it, nothing is left.
func TestAKeeperFindsDaemonsThatAreBeingStarted(t *testing.T) {
	const script = `while :; do (setsid sleep 300 &) ; done`
	for name, end := range map[string]func(*Kept){
		"killed": (*Kept).Kill,
		// As if the program that started it had been killed: nothing but the end of the pipe tells the keeper.
		"its starter is gone": func(k *Kept) { _ = k.line.Close() },
		"it ends by itself":   func(k *Kept) { _ = k.cmd.Process.Signal(os.Interrupt) },
	} {
		t.Run(name, func(t *testing.T) {
			for range 10 {
				text := rand.Text()
				cmd := exec.Command("/bin/sh", "-c", script)
				cmd.Env = append(os.Environ(), mark+"="+text)
				k, err := Start(os.Args[0], cmd)
				if err != nil {
					t.Fatal(err)
				}
				late := time.Now().Add(20 * time.Second)
				for len(marked(t, text)) < 10 && time.Now().Before(late) { // it has begun
				}
				end(k)
				k.Wait()
				if left := marked(t, text); len(left) > 0 {
					t.Fatalf("processes %v are left", left)
				}
			}
		})
	}
}
