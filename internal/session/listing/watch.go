package listing

import (
	"context"
	"iter"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// watchers are the listeners for sessions that are created, changed and deleted.
type watchers struct {
	mu   sync.Mutex
	list map[*Watch]bool
}

// maxNews bounds the news that wait for one watcher. If there are more, the oldest are
// dropped.
const maxNews = 4096

// Watch is one listener. It is safe for concurrent use.
type Watch struct {
	all  *watchers
	wake chan struct{} // capacity 1

	mu   sync.Mutex
	news []wire.Lifecycle
}

// Watch starts listening. Call [Watch.Close] when done.
func (l *Lists) Watch() *Watch {
	w := &Watch{all: &l.watchers, wake: make(chan struct{}, 1)}
	l.watchers.mu.Lock()
	defer l.watchers.mu.Unlock()
	if l.watchers.list == nil {
		l.watchers.list = map[*Watch]bool{}
	}
	l.watchers.list[w] = true
	return w
}

// Close stops listening.
func (w *Watch) Close() {
	w.all.mu.Lock()
	defer w.all.mu.Unlock()
	delete(w.all.list, w)
}

// News yields notifications until ctx ends. Consecutive changes of one session are joined
// while they wait.
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

func (ws *watchers) publish(n wire.Lifecycle) {
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

// Publish sends news to all watchers. It does not wait.
func (l *Lists) Publish(n wire.Lifecycle) { l.watchers.publish(n) }
