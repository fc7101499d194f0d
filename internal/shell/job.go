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

// unread is how many bytes a reader who has had read of them has not had. A shell
// without a job has none.
func (j *job) unread(read int64) int64 {
	if j == nil {
		return 0
	}
	if j.file != "" {
		return size(j.file) - read
	}
	j.out.mu.Lock()
	defer j.out.mu.Unlock()
	return j.out.total - read
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
	skipped := ""
	switch n := j.unread(told); {
	case n == 0:
		return "", told
	case n > maxPiece:
		skipped = fmt.Sprintf("[%d bytes not shown]\n", n-maxPiece)
		told += n - maxPiece
	}
	text, told := j.textSince(told, last)
	return skipped + text, told
}

// textSince returns what came after an offset, cleaned, and the next offset. all
// says that nothing more comes that could go on where it ends.
func (j *job) textSince(from int64, all bool) (string, int64) {
	if j.file != "" {
		return fileText(j.file, from, all)
	}
	return j.out.text(from, all)
}
