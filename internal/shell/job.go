package shell

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// job is one command, while it runs and after its end.
type job struct {
	command string
	chdir   string // directory that its shell has to change to first; empty: none
	began   time.Time
	out     *output
	kill    func() // kills it and what it started, without waiting

	// Only for a detached command, whose out stays empty:
	pid    int       // its process group
	file   string    // the file with its output
	status io.Closer // the pipe that brings its exit status; Close stops waiting for it

	// Guarded by the mutex of its Shells:
	left bool // its call has returned while it ran
	told bool // a report has told its end, or Shells.tell has

	once   sync.Once
	mu     sync.Mutex    // guards the next two
	calls  int           // how many wait for it
	stays  bool          // they do not return while it runs
	parted chan struct{} // closed, and replaced, when these are to return

	done chan struct{} // closed when it has ended and its output is complete
	code int           // valid once done is closed
	err  error         // valid once done is closed: a bug here has ended it; nil: it has ended itself
}

func newJob(c Command, file func() *os.File) *job {
	return &job{
		command: c.Text, began: time.Now(),
		out: &output{file: file}, done: make(chan struct{}), parted: make(chan struct{}),
	}
}

// finish ends the job with an exit status. Only the first call of finish or end has an
// effect.
func (j *job) finish(code int) { j.end(code, nil) }

// end is finish with the reason why this package has given up the job.
func (j *job) end(code int, why error) {
	j.once.Do(func() {
		j.code, j.err = code, why
		j.out.end()
		close(j.done)
	})
}

func (j *job) ended() bool { return closed(j.done) }

// failure returns why this package has given up the job; nil while the job runs, and if it
// has ended itself.
func (j *job) failure() error {
	if !j.ended() {
		return nil
	}
	return j.err
}

// wait returns when the job has ended, ctx has ended, or d is over.
func (j *job) wait(ctx context.Context, d time.Duration) { j.waitOr(ctx, d, nil) }

// waitOr is wait that also returns when parted is closed.
func (j *job) waitOr(ctx context.Context, d time.Duration, parted <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-j.done:
	case <-timer.C:
	case <-parted:
	case <-ctx.Done():
	}
}

// called counts a call that waits for the job. parted is closed when the call is to return although
// the job runs, which never happens if it stays; the caller calls returns at its end.
func (j *job) called(stays bool) (parted <-chan struct{}, returns func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.calls++
	j.stays = j.stays || stays
	return j.parted, func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.calls--
	}
}

// awaited reports whether a call waits for the job.
func (j *job) awaited() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.calls > 0
}

// part lets the calls that wait return. It reports whether there was one, and the job runs.
func (j *job) part() bool {
	if j == nil || j.ended() {
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.calls == 0 || j.stays {
		return false
	}
	close(j.parted)
	j.parted = make(chan struct{})
	return true
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// written returns how many bytes the command has written. nil, a shell without a command,
// has written none.
func (j *job) written() int64 {
	switch {
	case j == nil:
		return 0
	case j.file != "":
		return size(j.file)
	}
	j.out.mu.Lock()
	defer j.out.mu.Unlock()
	return j.out.total
}

// text returns the output between two offsets, cleaned, and the offset after it. complete
// means that no more output follows which could continue an escape sequence or a
// character at its end.
func (j *job) text(from, to int64, complete bool) (string, int64) {
	if j.file != "" {
		return fileText(j.file, from, to, complete)
	}
	return j.out.text(from, to, complete)
}

const (
	// pieceInterval is the shortest time between two pieces of streamed output.
	pieceInterval = 100 * time.Millisecond
	// maxPiece bounds a piece, in bytes of output. Of more, only the end is passed on,
	// because no user could read that fast.
	maxPiece = 32 << 10
)

// stream passes output on as it comes. When the job has ended, ctx has ended, d is over, or parted is
// closed, it passes on the rest and returns.
func (j *job) stream(ctx context.Context, d time.Duration, parted <-chan struct{}, listen func(string)) {
	tick := time.NewTicker(pieceInterval)
	defer tick.Stop()
	end := time.NewTimer(d)
	defer end.Stop()
	sent := int64(0)
	for {
		last := true
		select {
		case <-tick.C:
			last = false
		case <-j.done:
		case <-end.C:
		case <-parted:
		case <-ctx.Done():
		}
		var piece string
		if piece, sent = j.piece(sent, last); piece != "" {
			listen(piece)
		}
		if last {
			return
		}
	}
}

// piece returns the output since an offset, and the next offset.
func (j *job) piece(sent int64, last bool) (string, int64) {
	to, skipped := j.written(), ""
	if to == sent {
		return "", sent
	}
	if n := to - sent - maxPiece; n > 0 {
		skipped = fmt.Sprintf("[%d bytes not shown]\n", n)
		sent += n
	}
	text, next := j.text(sent, to, last)
	return skipped + text, next
}
