//go:build unix

package proctree

import (
	"os"
	"syscall"
	"time"
)

// Tree is a process that leads a process session, with everything that it started. It is
// not safe for concurrent use. The zero value is the tree of no process: its methods kill nothing.
type Tree struct {
	leader   int          // 0: of no process
	sessions map[int]bool // the leader's session, and those made by processes in them
}

// NewTree returns the tree of the process leader, which must lead a process session. No program has
// started a process whose id is 1 or less, so the tree of such an id is the zero value: to kill(2),
// -0 means the group of the caller, -1 means every process, and -(-5) means process 5.
func NewTree(leader int) Tree {
	if leader <= 1 {
		return Tree{}
	}
	return Tree{leader, map[int]bool{leader: true}}
}

// KillOnce sends SIGKILL to every process of the tree, and returns whether any was alive.
// The list of processes is made first, because a process loses its children when it dies.
func (t Tree) KillOnce() bool {
	if t.leader == 0 {
		return false
	}
	pids, known := descendants(t.sessions)
	grouped := syscall.Kill(-t.leader, syscall.SIGKILL) == nil // also if there are only zombies
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended by itself
	}
	if known {
		return len(pids) > 0
	}
	return grouped
}

// KillAll repeats KillOnce until nothing is left, because a process can start others
// between being listed and being killed. It gives up after killRounds.
func (t Tree) KillAll() {
	for range killRounds {
		if !t.KillOnce() {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// KillOffspring is KillAll without the leader. A leader that adopts processes that have lost
// their parent (PR_SET_CHILD_SUBREAPER) must live until they have been found.
func (t Tree) KillOffspring() {
	if t.leader == 0 {
		return
	}
	for range killRounds {
		pids, _ := descendants(t.sessions)
		found := false
		for _, pid := range pids {
			if pid != t.leader {
				found = true
				_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended by itself
			}
		}
		if !found {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// killRounds bounds KillAll to about a second. A process that is alive after that waits
// in the kernel, for a disk for example, and ends when the kernel does.
const killRounds = 200

// ExitCode returns the exit status as a shell reports it: 128 plus the signal's number if a
// signal ended the process.
func ExitCode(st *os.ProcessState) int {
	ws, ok := st.Sys().(syscall.WaitStatus)
	if ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return st.ExitCode()
}
