package files

import (
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// How long it takes, at least and at most, until a log is looked at again. The pause is short
// when the log has grown, and doubles with each look that finds nothing. So the reader of a
// session at work is about 100 ms behind its owner, and 5,000 idle sessions cost 2,500 looks a
// second, each of them one call of the system.
const (
	shortPause = 100 * time.Millisecond
	longPause  = 2 * time.Second
)

// watches looks from time to time at the logs that are watched. [vfs.FS] cannot report that a
// file has grown. There is a timer while something is watched, and no goroutine between two
// looks.
type watches struct {
	mu       sync.Mutex // guards the rest, and at, due and pause of each watch
	all      []*watch   // in no order
	origin   time.Time  // times are counted from here
	timer    *time.Timer
	next     time.Duration // when timer fires; unset while timer is nil
	sweeping bool          // and timer is nil meanwhile
}

// watch is one call of [stream.Watch]. There is one for each session with a client, so it is
// small.
type watch struct {
	stream *stream
	grown  func(length uint64)
	told   uint64        // stream.adopted, as grown knows it; for the sweep alone
	due    time.Duration // since watches.origin
	pause  time.Duration
	at     int // index in watches.all; -1 if it was removed

	calling sync.Mutex // held while grown is called
	stopped bool       // guarded by calling
}

// Watch implements [eventlog.Stream]. It can always tell. A record is noticed within 2 s, and
// within 200 ms while others keep appending.
func (s *stream) Watch(after uint64, grown func(length uint64)) (stop func(), known bool) {
	if s.isClosed() {
		return func() {}, false
	}
	w := &watch{stream: s, grown: grown, told: after, pause: shortPause}
	s.store.watches.add(w)
	return w.stop, true
}

// stop ends the watch, and waits for a call under way.
func (w *watch) stop() {
	w.stream.store.watches.remove(w)
	w.calling.Lock()
	defer w.calling.Unlock()
	w.stopped = true
}

func (ws *watches) add(w *watch) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.origin.IsZero() {
		ws.origin = time.Now()
	}
	w.due = time.Since(ws.origin) + w.pause
	w.at = len(ws.all)
	ws.all = append(ws.all, w)
	if !ws.sweeping && (ws.timer == nil || w.due < ws.next) {
		ws.arm(w.due)
	}
}

func (ws *watches) remove(w *watch) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if w.at < 0 {
		return
	}
	last := len(ws.all) - 1
	ws.all[w.at] = ws.all[last]
	ws.all[w.at].at = w.at
	ws.all[last] = nil
	ws.all = ws.all[:last]
	if w.at = -1; last == 0 {
		ws.all = nil
		ws.disarm()
	}
}

// arm has the next sweep at a time. The caller holds ws.mu.
func (ws *watches) arm(at time.Duration) {
	ws.disarm()
	ws.next = at
	ws.timer = time.AfterFunc(at-time.Since(ws.origin), ws.sweep)
}

// disarm ends the timer. The caller holds ws.mu.
func (ws *watches) disarm() {
	if ws.timer != nil {
		ws.timer.Stop() // if it has fired, its sweep does nothing or does no harm
		ws.timer = nil
	}
}

// sweep looks at the logs whose time has come.
func (ws *watches) sweep() {
	due, alone := ws.begin()
	if !alone {
		return
	}
	for _, w := range due {
		grew := false
		_ = fault.Guard("files.Watch", func() error { grew = w.look(); return nil }) // what panics is told at the next growth
		ws.put(w, grew)
	}
	ws.end()
}

// begin returns the watches that are due, and those that nearly are, so that many share one
// timer. alone is false if another sweep is under way.
func (ws *watches) begin() (due []*watch, alone bool) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.sweeping {
		return nil, false
	}
	ws.sweeping = true
	ws.disarm()
	now := time.Since(ws.origin)
	for _, w := range ws.all {
		if w.due-now <= w.pause/4 {
			due = append(due, w)
		}
	}
	return due, true
}

// put sets when a log is looked at again.
func (ws *watches) put(w *watch, grew bool) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if w.pause = min(2*w.pause, longPause); grew {
		w.pause = shortPause
	}
	w.due = time.Since(ws.origin) + w.pause
}

// end ends a sweep, and arms the timer for the next.
func (ws *watches) end() {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.sweeping = false
	if len(ws.all) == 0 {
		return
	}
	next := ws.all[0].due
	for _, w := range ws.all {
		next = min(next, w.due)
	}
	ws.arm(next)
}
