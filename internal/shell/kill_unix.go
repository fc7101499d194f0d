//go:build unix

package shell

import (
	"syscall"
	"time"
)

// processTree is a process that leads a process session, with everything that it started.
type processTree struct {
	leader   int
	sessions map[int]bool // the leader's session, and those made by processes in them
}

func newProcessTree(leader int) processTree { return processTree{leader, map[int]bool{leader: true}} }

// killOnce sends SIGKILL to every process of the tree, and returns whether any was alive.
// The list of processes is made first, because a process loses its children when it dies.
func (t processTree) killOnce() bool {
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

// killAll repeats killOnce until nothing is left, because a process can start others
// between being listed and being killed. It gives up after killRounds.
func (t processTree) killAll() {
	for range killRounds {
		if !t.killOnce() {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// killRounds bounds killAll to about a second. A process that is alive after that waits
// in the kernel, for a disk for example, and ends when the kernel does.
const killRounds = 200
