//go:build unix

package shell

import (
	"syscall"
	"time"
)

// prey is a session that is to be killed, with everything that it started.
type prey struct {
	leader   int
	sessions map[int]bool // that of the leader, and those made by what is in it
}

func newPrey(leader int) prey { return prey{leader, map[int]bool{leader: true}} }

// strike sends SIGKILL, and returns whether anything was alive. Who there is to kill
// is asked first: the death of a parent hides its children.
func (p prey) strike() bool {
	pids, known := members(p.sessions)
	grouped := syscall.Kill(-p.leader, syscall.SIGKILL) == nil // also if there are only zombies
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended by itself
	}
	if known {
		return len(pids) > 0
	}
	return grouped
}

// sweep strikes until nothing is left: a program can start others between being
// seen and being killed. It gives up after sweepRounds.
func (p prey) sweep() {
	for range sweepRounds {
		if !p.strike() {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// sweepRounds bounds a sweep to a second or so: what outlives it waits for the
// disk in the kernel, and dies when that answers.
const sweepRounds = 200
