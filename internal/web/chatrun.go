package web

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// chatRun is one run for OpenAI clients: one session with one message, and the answer so
// far. It has a goroutine of its own, which Door.Close waits for. Any number of requests
// may follow it, each from the beginning of the answer. It is safe for concurrent use.
type chatRun struct {
	id      string // of the completion
	session string // id of the session
	created time.Time
	stream  bool          // followers get the text as it comes, otherwise at the end
	linger  time.Duration // how long the run continues after its last follower has left
	cancel  context.CancelCauseFunc
	done    chan struct{} // closed when the run has ended

	mu        sync.Mutex // guards the rest
	changed   chan struct{}
	text      strings.Builder
	ends      []int  // the length of text after each piece of the answer
	in, put   int64  // tokens
	finished  string // why the answer has ended, as OpenAI names it
	acted     bool   // a tool has begun
	ended     bool
	err       error // why the run has failed, once it has ended
	followers int
	leaving   *time.Timer // cancels the run; nil unless nobody follows it
}

// errUnwanted is the cause for which a run ends that no request follows any more.
var errUnwanted = refused("aborted", "The run was stopped, because no client waited for its answer any more.")

// actedError is the failure of a run in which a tool has begun. A repeated request would
// be another run, whose tools act once more.
type actedError struct{ error }

func (e actedError) Unwrap() error { return e.error }

// newChatRun starts a run. before is called when it has ended, before any follower
// learns of that; keep says whether the outcome answers a repeated request, too.
func (d *Door) newChatRun(req *chatRequest, linger time.Duration, before func(r *chatRun, keep bool)) *chatRun {
	ctx, cancel := context.WithCancelCause(d.life)
	r := &chatRun{
		id: "chatcmpl-" + wire.NewID(), session: "openai-" + wire.NewSessionID(), created: time.Now(), stream: req.stream, linger: linger, cancel: cancel,
		done: make(chan struct{}), changed: make(chan struct{}),
	}
	d.runs.Go(func() {
		err := d.inTurn(ctx, func() error {
			return fault.Guard("web.chat", func() error { return d.complete(ctx, req, r) }) // a panic must not end the runs of others
		})
		d.logFailure(err, r.session)
		cancel(nil)
		before(r, err == nil || r.hasActed())
		r.end(err)
	})
	return r
}

// say adds a piece to the answer.
func (r *chatRun) say(piece string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text.WriteString(piece)
	r.ends = append(r.ends, r.text.Len())
	r.wake()
	return nil
}

// errBrokeOff ends a stream: programs would take the text of both attempts for one answer.
var errBrokeOff = refused("answer_broken", "The model's answer broke off after its first text had been sent, and text that was sent cannot be taken back. Ask again, or without stream: then the answer begins again unseen.")

// unsay takes back the last n bytes of the answer, which broke off, unless clients may have got them.
func (r *chatRun) unsay(n int) error {
	if r.stream {
		return errBrokeOff
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	kept := r.text.String()[:r.text.Len()-n]
	r.text.Reset()
	r.text.WriteString(kept)
	r.ends = slices.DeleteFunc(r.ends, func(end int) bool { return end > len(kept) })
	return nil
}

// act notes that a tool has begun.
func (r *chatRun) act() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.acted = true
}

func (r *chatRun) hasActed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.acted
}

// end records the outcome.
func (r *chatRun) end(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended, r.err = true, err
	if r.leaving != nil {
		r.leaving.Stop()
	}
	r.wake()
	close(r.done)
}

// wake tells the followers that something has changed. The caller holds the mutex.
func (r *chatRun) wake() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// size is the memory that the answer takes, in bytes.
func (r *chatRun) size() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Len() + 8*len(r.ends)
}

// follow passes the answer to text, piece by piece from the beginning, until the run has
// ended, text fails or ctx ends. It returns why the run has failed, if it has.
func (r *chatRun) follow(ctx context.Context, text func(piece string) error) error {
	r.join()
	defer r.leave()
	for n, at := 0, 0; ; {
		whole, ends, changed, ended := r.since(n)
		for _, end := range ends {
			if err := text(whole[at:end]); err != nil {
				return err
			}
			n, at = n+1, end
		}
		if ended {
			return r.failure()
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return r.asFailure(context.Cause(ctx))
		}
	}
}

// since returns the text so far and where its pieces after the first n end. changed is
// closed when there is more to see; ended says that there will be no more.
func (r *chatRun) since(n int) (text string, ends []int, changed <-chan struct{}, ended bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stream && !r.ended {
		return "", nil, r.changed, false
	}
	return r.text.String(), r.ends[n:], r.changed, r.ended
}

func (r *chatRun) failure() error {
	r.mu.Lock()
	err := r.err
	r.mu.Unlock()
	return r.asFailure(err)
}

// asFailure marks the failure of a run in which a tool has begun.
func (r *chatRun) asFailure(err error) error {
	if err != nil && r.hasActed() {
		return actedError{err}
	}
	return err
}

func (r *chatRun) join() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.followers++
	if r.leaving != nil {
		r.leaving.Stop()
		r.leaving = nil
	}
}

// leave is the end of following. A run that does not linger is cancelled after its last
// follower and waited for; another is cancelled when nobody follows it in time.
func (r *chatRun) leave() {
	if r.abandoned() {
		r.cancel(errUnwanted)
		<-r.done
	}
}

// abandoned counts a follower out, and reports whether the run is to end at once.
func (r *chatRun) abandoned() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.followers--
	if r.followers > 0 || r.ended {
		return false
	}
	if r.linger > 0 {
		r.leaving = time.AfterFunc(r.linger, func() { r.cancel(errUnwanted) })
	}
	return r.linger == 0
}

// finish notes why the answer has ended, in OpenAI's words, and returns it. A run that has failed
// otherwise ends with "stop", too: its failure takes the place of the answer.
func (r *chatRun) finish(t *reply) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.finished = "stop"
	if t.run.Incomplete == "" || t.run.Failure != nil || t.run.Aborted {
		return r.finished
	}
	switch model.Finish(t.run.Finish) {
	case model.FinishLength, model.FinishWindow:
		r.finished = "length"
	case model.FinishFilter, model.FinishRefusal:
		r.finished = "content_filter"
	}
	return r.finished
}

// finishReason is why the answer has ended, for the last event of a stream.
func (r *chatRun) finishReason() *string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return new(r.finished)
}

// tokens are those of the run so far.
func (r *chatRun) tokens() (in, put int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.in, r.put
}

func (r *chatRun) count(in, put int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.in, r.put = in, put
}
