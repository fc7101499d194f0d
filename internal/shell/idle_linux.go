package shell

import (
	"context"
	"os"
	"syscall"
	"time"
	"unsafe"
)

// How often attend looks at a shell: first after firstLook, then ever less often, at least
// every lastLook. A report that a shell has written is read in much less than lastLook.
const (
	firstLook = 50 * time.Millisecond
	lastLook  = time.Second
)

// attend watches a persistent shell while it runs a command, and ends the shell if that reads its next
// line without having reported the end of the command. A command can take every means of
// reporting from its shell: by set -n, by a function named command, by closing descriptors.
//
// It writes a space when the shell has read all of its script. A shell that runs a command does not
// read; one that has taken the space is past the report. Closing its input then ends it, and
// its end is that of the command. A shell that was wrongly taken for one of those ends as well, but
// not before it has come to the end of its script: the command is not cut short.
func (p *process) attend(j *job) {
	nudged, taken := false, false
	for pause := firstLook; ; pause = min(pause*3/2, lastLook) {
		j.wait(context.Background(), pause)
		switch {
		case j.ended():
			return
		case taken:
			p.abandon(j, "")
			return
		case unread(p.in) != 0: // it runs the command
		case nudged:
			taken, pause = true, lastLook
		case p.nudge(j): // it fails if another program has taken the shell's place
			nudged, pause = true, firstLook
		}
	}
}

// nudge writes a space to the shell, unless the job has ended: the script of the next one must stay
// whole.
func (p *process) nudge(j *job) bool {
	p.writing.Lock()
	defer p.writing.Unlock()
	if j.ended() {
		return false
	}
	_, err := p.in.WriteString(" ")
	return err == nil
}

// unread returns how many bytes of a pipe have not been read, -1 if that is not known.
func unread(pipe *os.File) int {
	n := -1
	raw, err := pipe.SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) {
			var waiting int32
			if _, _, failed := syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCINQ, uintptr(unsafe.Pointer(&waiting))); failed == 0 {
				n = int(waiting)
			}
		})
	}
	if err != nil {
		return -1
	}
	return n
}
