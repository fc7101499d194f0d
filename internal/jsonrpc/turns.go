package jsonrpc

import (
	"runtime"
	"sync"
	"time"
)

const (
	// long is the size of a message, in bytes, beyond which it takes so long to check, to decode and to encode its
	// answer (some 30 µs and more) that short ones would wait for those of hundreds of connections.
	long = 16 << 10
	// inARow is how many frames a connection handles before others have their turn, if its frames arrive faster than it
	// handles them: some 50 µs.
	inARow = 8
	// perProcessor is how many works compute at the same time for each processor. With one, a processor would
	// be idle while the next work is started.
	perProcessor = 2
	// slice is how long a work counts as computing. One that takes longer most likely waits for something, such as a
	// provider, and others begin.
	slice = 2 * time.Millisecond
	// mostFavours is how many fresh connections come first before one of the others, which would wait for ever behind
	// many clients that each ask for one thing at a time.
	mostFavours = 8
	// A connection with mostWaiting works waiting is not read until fewWaiting are left. Works begin also if their
	// connection is not read, so that always comes.
	mostWaiting, fewWaiting = 64, 16
)

// Turns divides the processors among the connections of a server, so that one that asks for much does not
// keep others waiting. Requests of which [Request.Computes] is set begin when it is their turn. A connection that had
// none waiting comes first; those with several begin one each, in turns. As long as there is only one connection, they
// begin at once. Safe for concurrent use; [Options.Turns] has it. The rule is that of queues in network routers that
// keep short flows fast (RFC 8290, FQ-CoDel).
type Turns struct {
	// longs holds one for each long message that is being checked, decoded, or whose answer is being
	// encoded. Half of the processors, at least one, work on these; the others are left for short messages.
	longs chan struct{}
	most  int // works that compute at the same time

	mu      sync.Mutex
	open    int     // connections
	running []*turn // works that count as computing, at most most
	fresh   []*line // connections that had no work waiting before the one that waits now, in their order
	lines   []*line // the other connections whose works wait, in their order
	favours int     // how many fresh connections came before the others, in a row
	timer   *time.Timer
}

// NewTurns returns turns for the processors of the process.
func NewTurns() *Turns {
	n := runtime.GOMAXPROCS(0)
	return &Turns{longs: make(chan struct{}, max(n/2, 1)), most: perProcessor * n}
}

// Long waits for the turn of something that only computes with a message of size bytes, if that is
// long, and returns the end of its turn. Nil turns never wait.
func (t *Turns) Long(size int) (end func()) {
	if t == nil || size <= long {
		return func() {}
	}
	t.longs <- struct{}{}
	return func() { <-t.longs }
}

// line has the works of a connection that wait for their turn, in order. Turns.mu guards it.
type line struct {
	waiting []func(*turn)
	short   chan struct{} // closed when there are few again; nil unless the connection waits for that
}

// turn is that of one work.
type turn struct {
	of    *Turns
	began time.Time
}

func (t *Turns) enter() {
	if t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.open++
	}
}

// leave is called when the connection of a line has ended. Its works that wait begin all the same, because they
// have something to give back.
func (t *Turns) leave() {
	if t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.open--
		t.next()
	}
}

// start calls begin, which must not block, when it is the turn of a work of l: now or later. The work ends its turn. If
// many works wait then, start returns what is closed when they are few again, else nil.
func (t *Turns) start(l *line, begin func(*turn)) (few <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l.waiting = append(l.waiting, begin)
	if len(l.waiting) == 1 {
		t.fresh = append(t.fresh, l)
	}
	t.next()
	if len(l.waiting) < mostWaiting {
		return nil
	}
	l.short = make(chan struct{})
	return l.short
}

// crowded reports whether works of several connections compete.
func (t *Turns) crowded() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.open >= 2 && len(t.running) >= t.most
}

// next begins works as long as there is room. The caller holds the mutex.
func (t *Turns) next() {
	for t.wait() && (t.open < 2 || len(t.running) < t.most) {
		l := t.line()
		begin := l.waiting[0]
		l.waiting[0] = nil
		if l.waiting = l.waiting[1:]; l.short != nil && len(l.waiting) <= fewWaiting {
			close(l.short)
			l.short = nil
		}
		if len(l.waiting) > 0 {
			t.lines = append(t.lines, l)
		} else {
			l.waiting = nil
		}
		now := &turn{of: t, began: time.Now()}
		if len(t.running) < t.most {
			t.running = append(t.running, now)
		}
		begin(now)
	}
	if t.wait() && t.timer == nil {
		t.timer = time.AfterFunc(slice, t.look)
	}
}

func (t *Turns) wait() bool { return len(t.fresh)+len(t.lines) > 0 }

// line takes the connection out whose work begins next; there is one.
func (t *Turns) line() (l *line) {
	from := &t.fresh
	if t.favours++; len(t.fresh) == 0 || t.favours > mostFavours && len(t.lines) > 0 {
		from, t.favours = &t.lines, 0
	}
	l, (*from)[0] = (*from)[0], nil
	if *from = (*from)[1:]; len(*from) == 0 {
		*from = nil
	}
	return l
}

// look lets others begin in the place of works that have taken longer than a slice.
func (t *Turns) look() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.timer = nil
	for n := len(t.running) - 1; n >= 0; n-- {
		if time.Since(t.running[n].began) >= slice {
			t.forget(n)
		}
	}
	t.next()
}

func (t *Turns) forget(n int) {
	last := len(t.running) - 1
	t.running[n], t.running[last] = t.running[last], nil
	t.running = t.running[:last]
}

// end is called when the work has ended. A nil turn has no end.
func (n *turn) end() {
	if n == nil {
		return
	}
	t := n.of
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, r := range t.running {
		if r == n {
			t.forget(i)
			break
		}
	}
	t.next()
}
