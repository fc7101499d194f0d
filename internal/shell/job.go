package shell

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// job is one command while it runs and after.
type job struct {
	text  string
	from  string // where its shell has to go first; empty: nowhere
	mode  Mode
	began time.Time
	out   *output
	kill  func() // kills it and what it started; does not wait

	// Of a detached command, whose out stays empty:
	pid    int       // its process group
	file   string    // where its output is
	keeper io.Closer // who tells of its end; closed to hear no more

	once sync.Once
	done chan struct{} // closed when it has ended and its output is complete
	code int           // readable then
}

func newJob(c Command, file func() *os.File) *job {
	return &job{
		text: c.Text, mode: c.Mode, began: time.Now(),
		out: &output{file: file}, done: make(chan struct{}),
	}
}

// finish ends the job; only the first end counts.
func (j *job) finish(code int) {
	j.once.Do(func() {
		j.code = code
		j.out.end()
		close(j.done)
	})
}

func (j *job) ended() bool {
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}

// wait blocks until the job has ended or ctx has, at most d.
func (j *job) wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-j.done:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// written is how many bytes the command has written. None without a command.
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

// shown returns what is between two offsets, cleaned, and the offset after that. all
// says that nothing more comes that could go on where it ends.
func (j *job) shown(from, to int64, all bool) (string, int64) {
	if j.file != "" {
		return fileText(j.file, from, to, all)
	}
	return j.out.text(from, to, all)
}

const (
	// pieceInterval is the shortest time between two pieces of output for a listener.
	pieceInterval = 100 * time.Millisecond
	// maxPiece bounds a piece, in bytes of output; of more only the end is told, for
	// nobody reads at such a speed.
	maxPiece = 32 << 10
)

// tell passes on output as it comes, and what is left when the job has ended, ctx
// has, or d is over.
func (j *job) tell(ctx context.Context, d time.Duration, listen func(string)) {
	tick := time.NewTicker(pieceInterval)
	defer tick.Stop()
	end := time.NewTimer(d)
	defer end.Stop()
	told := int64(0)
	for {
		last := true
		select {
		case <-tick.C:
			last = false
		case <-j.done:
		case <-end.C:
		case <-ctx.Done():
		}
		var piece string
		if piece, told = j.piece(told, last); piece != "" {
			listen(piece)
		}
		if last {
			return
		}
	}
}

// piece is what is new since an offset, and the next offset.
func (j *job) piece(told int64, last bool) (string, int64) {
	to, skipped := j.written(), ""
	if to == told {
		return "", told
	}
	if n := to - told - maxPiece; n > 0 {
		skipped = fmt.Sprintf("[%d bytes not shown]\n", n)
		told += n
	}
	text, told := j.shown(told, to, last)
	return skipped + text, told
}
