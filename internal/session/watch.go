package session

import (
	"context"
	"iter"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// watchers are told when sessions come, change and go.
type watchers struct {
	mu   sync.Mutex
	list map[*Watch]bool
}

// maxNews bounds what waits for one watcher: with more changes than this the
// oldest are forgotten, as they describe the past.
const maxNews = 4096

// Watch is one listener for the comings and goings of sessions.
type Watch struct {
	all  *watchers
	wake chan struct{} // capacity 1

	mu   sync.Mutex
	news []wire.Lifecycle
}

// Watch starts listening. Call Close when done.
func (r *Registry) Watch() *Watch {
	w := &Watch{all: &r.watchers, wake: make(chan struct{}, 1)}
	r.watchers.mu.Lock()
	defer r.watchers.mu.Unlock()
	if r.watchers.list == nil {
		r.watchers.list = map[*Watch]bool{}
	}
	r.watchers.list[w] = true
	return w
}

// Close stops listening.
func (w *Watch) Close() {
	w.all.mu.Lock()
	defer w.all.mu.Unlock()
	delete(w.all.list, w)
}

// News yields what happens until ctx ends. A session that changes again before
// its last change was taken is told of once.
func (w *Watch) News(ctx context.Context) iter.Seq[wire.Lifecycle] {
	return func(yield func(wire.Lifecycle) bool) {
		for {
			for _, n := range w.take() {
				if !yield(n) {
					return
				}
			}
			select {
			case <-w.wake:
			case <-ctx.Done():
				return
			}
		}
	}
}

func (w *Watch) take() []wire.Lifecycle {
	w.mu.Lock()
	defer w.mu.Unlock()
	news := w.news
	w.news = nil
	return news
}

func (ws *watchers) tell(n wire.Lifecycle) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for w := range ws.list {
		w.add(n)
	}
}

func (w *Watch) add(n wire.Lifecycle) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if last := len(w.news) - 1; last >= 0 && w.news[last].SessionID == n.SessionID && w.news[last].Type == n.Type {
		w.news[last] = n
		return
	}
	if len(w.news) == maxNews {
		w.news = w.news[1:]
	}
	w.news = append(w.news, n)
	select {
	case w.wake <- struct{}{}:
	default:
	}
}
