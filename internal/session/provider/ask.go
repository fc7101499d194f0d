package provider

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/known"
	"github.com/sidestick-dev/sidestick/internal/model/ollama"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
)

// A server that is not a known vendor's is asked for the window that is in force, once for each address and model in
// listAgain: before the first call if it is on this machine or its network, and beside the call
// otherwise. It is asked again after a change of model, after an error that names a number, and after
// the first call to a server that loads a model with that.

// questions are the questions to servers for their windows. The zero value keeps nothing.
type questions struct {
	kept    *known.Windows
	keeping sync.Mutex // held while something is stored, so that what is older does not replace it
	looks   bool       // nothing is stored
	log     *slog.Logger

	asking sync.Mutex // guards the rest
	asked  map[spot]*question
	all    sync.WaitGroup // the goroutines of questions
	ended  bool
	ctx    context.Context // of questions; made with the first one
	cancel context.CancelFunc
}

// question is one question, which has ended when done is closed, with an answer or without.
type question struct {
	done  chan struct{}
	at    time.Time // when it began
	fresh bool      // the list of models is read again
	later bool      // the server knows the window after the next call; fixed when done is closed
	stale bool      // the question counts no longer, because an error has named a number since; guarded by asking
}

// ask has the server asked for the window of the endpoint's model, if it may be asked and that is due. It waits for a server
// nearby, at most [model.WindowWait].
func (f *Facts) ask(ctx context.Context, c Choice, e *Endpoint) {
	if c.Override != nil && c.Override.Limits != nil && (c.Override.Limits.MaxPromptTokens != nil || c.Override.Limits.MaxContextWindowTokens != nil) {
		return // the client says it
	}
	before := f.of(e.spot(e.Model)) // reads the file of earlier processes, which the session's goroutine must not wait for
	if !e.mayAsk(before.accepted > 0) {
		return
	}
	q := f.question(e)
	if q == nil || !c.Patient && !model.Near(e.At.BaseURL) {
		return
	}
	select {
	case <-q.done:
	case <-ctx.Done():
	}
}

// mayAsk reports whether the server of an endpoint may be asked: not those of known vendors, which document the windows of their
// models; not one whose client carries the calls, or is called for each token; and not if something
// that comes first says the window. Ollama's own protocol asks for a window in each request, so its answer
// counts once a call has loaded the model, which called says.
func (e *Endpoint) mayAsk(called bool) bool {
	p := &e.At
	switch p.Dialect {
	case "", chat.Name, responses.Name, anthropic.Name:
		if known.ProviderAt(p.BaseURL) != "" {
			return false
		}
	case ollama.Name:
		if !called {
			return false
		}
	default:
		return false
	}
	return e.open && !p.Copilot && !p.Azure.Resource && p.Transport == nil && p.Token == nil
}

// question returns the question that is under way or still counts, or begins one. It is nil if all has ended.
func (f *Facts) question(e *Endpoint) *question {
	at := e.spot(e.Model)
	called := f.of(at).accepted > 0
	f.asking.Lock()
	defer f.asking.Unlock()
	if f.ended {
		return nil
	}
	q := f.asked[at]
	if q != nil && !q.over(called) {
		return q
	}
	f.asked = roomFor(at, f.asked)
	if f.ctx == nil {
		f.ctx, f.cancel = context.WithCancel(context.Background())
	}
	next := &question{done: make(chan struct{}), at: time.Now(), fresh: q != nil}
	f.asked[at] = next
	client, ep, name, ctx := e.client, e.At, at.model, f.ctx
	f.all.Go(func() {
		defer close(next.done)
		err := fault.Guard("session.window", func() error {
			ep.Fresh = next.fresh
			w, err := client.Window(ctx, ep, name)
			if err == nil {
				next.later = w.Later && !called
				f.hear(at, w)
			}
			return err
		})
		if err != nil {
			f.log.Debug("the server was not asked for its window", "server", model.PublicAddress(ep.BaseURL), "model", name, "err", err)
		}
	})
	return next
}

// over reports whether a question counts no longer. called says that a call to the model was answered.
func (q *question) over(called bool) bool {
	select {
	case <-q.done:
		return q.stale || time.Since(q.at) >= listAgain || q.later && called
	default:
		return false
	}
}

// again has a server asked again with the next turn.
func (f *Facts) again(at spot) {
	f.asking.Lock()
	defer f.asking.Unlock()
	if q := f.asked[at]; q != nil {
		q.stale = true
	}
}

// silent has a server that did not answer count as asked.
func (f *Facts) silent(at spot) {
	f.asking.Lock()
	defer f.asking.Unlock()
	f.asked = roomFor(at, f.asked)
	q := &question{done: make(chan struct{}), at: time.Now()}
	close(q.done)
	f.asked[at] = q
}

// unreached reports whether a failure says that a server cannot be reached.
func unreached(e *model.Error) bool {
	return e.Category == model.CategoryNetwork || e.Category == model.CategoryTimeout
}

// Stop ends all questions, and waits for them. There are none after it.
func (q *questions) Stop() {
	q.asking.Lock()
	q.ended = true
	if q.cancel != nil {
		q.cancel()
	}
	q.asking.Unlock()
	q.all.Wait()
}

// hear takes over what a server has said. A limit that an error has named counts as long as the server says the same
// as after the error.
func (f *Facts) hear(at spot, w model.Window) {
	if w.Tokens < leastWindow {
		return
	}
	f.change(at, func(now *window) {
		if now.refused > 0 && now.against != w.Tokens {
			if now.against > 0 {
				now.refused, now.named = 0, time.Time{}
			}
			now.against = w.Tokens
		}
		now.said, now.source, now.heard, now.kept = w.Tokens, w.Source, time.Now(), false
	})
	f.keep(at)
}

// keep stores what is known about a model for the next process. Of two calls at a time, the one that comes last
// stores what both have learnt.
func (f *Facts) keep(at spot) {
	if f.kept == nil || f.looks {
		return
	}
	f.keeping.Lock()
	defer f.keeping.Unlock()
	w := f.of(at)
	k := known.KeptWindow{Address: model.PublicAddress(at.address), Model: at.model, Said: w.said, Source: w.source, SaidOn: w.heard.UTC()}
	if w.refused > 0 {
		k.Named, k.NamedOn, k.Against = w.refused, w.named.UTC(), w.against
	}
	f.kept.Keep(k)
}

// recalled is what earlier processes have stored about a model.
func (f *Facts) recalled(at spot) (w window) {
	if f.kept == nil {
		return w
	}
	k := f.kept.Of(model.PublicAddress(at.address), at.model)
	if k.Said > 0 {
		w.said, w.source, w.heard, w.kept = k.Said, k.Source, k.SaidOn, true
	}
	if k.Named >= leastWindow {
		w.refused, w.named, w.against = k.Named, k.NamedOn, k.Against
	}
	return w
}
