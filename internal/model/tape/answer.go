package tape

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/obs"
)

// maxRecorded bounds the body of one answer, in bytes: twice what a dialect reads of one
// ([model.MaxAnswer]). The recording of a longer one says that it was cut.
const maxRecorded = 128 << 20

// recordedBody is the body of an answer that is being recorded. Its line is written once: when the
// body has ended, or when it is closed.
type recordedBody struct {
	io.ReadCloser
	to      *Recorder
	secrets *obs.Redactor
	began   time.Time
	ctx     context.Context // of the request

	once sync.Once

	mu   sync.Mutex // guards the rest: a body may be closed while it is read
	call call
	data []byte
	cuts []cut
	size int
}

// cut is the end of a piece in data, and when the piece began to come.
type cut struct {
	at  time.Duration
	end int
}

// joinTime is how long reads are parts of one piece. A provider that writes byte by byte has the
// pieces of one that writes every few bytes; a reader of the replay sees no difference.
const joinTime = 5 * time.Millisecond

// Read notes what it reads.
func (b *recordedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.mu.Lock()
	if b.size += n; n > 0 && b.size <= maxRecorded {
		b.note(p[:n], time.Since(b.began))
	}
	b.mu.Unlock()
	if err != nil {
		b.finish(err)
	}
	return n, err
}

func (b *recordedBody) note(p []byte, at time.Duration) {
	b.data = append(b.data, p...)
	if last := len(b.cuts) - 1; last >= 0 && at-b.cuts[last].at < joinTime {
		b.cuts[last].end = len(b.data)
		return
	}
	b.cuts = append(b.cuts, cut{at, len(b.data)})
}

// Close ends the recording of the body.
func (b *recordedBody) Close() error {
	err := b.ReadCloser.Close()
	b.finish(nil)
	return err
}

// finish writes the line. err is why reading has ended, nil if the caller reads no further.
func (b *recordedBody) finish(err error) {
	b.once.Do(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		a := b.call.Answer
		a.Pieces = b.pieces()
		switch {
		case b.size > maxRecorded:
			a.Cut = "the answer is too long for a recording"
		case b.ctx.Err() != nil:
			a.Aborted = true
		case err != nil && err != io.EOF:
			a.Cut = b.secrets.Redact(failure(err))
		}
		b.to.write(b.call)
	})
}

// pieces are the pieces of the body without secrets. Where a secret was, the body is one piece: its
// parts may have been in several.
func (b *recordedBody) pieces() (list []piece) {
	whole := string(b.data)
	b.data = nil
	clean := b.secrets.RedactPiece(whole)
	if b.call.Answer.Status/100 != 2 { // servers repeat the key that they refuse
		clean = b.secrets.Redact(clean)
	}
	if clean != whole {
		return []piece{asPiece(b.cuts[len(b.cuts)-1].at, clean)}
	}
	from := 0
	for _, c := range b.cuts {
		list = append(list, asPiece(c.at, whole[from:c.end]))
		from = c.end
	}
	return list
}
