package files

import (
	"errors"
	"runtime"
	"sync"
	"time"
)

const (
	// minGroup is how many streams are worth one SyncAll. Measured on ext4: two
	// files cost 160 µs of CPU one by one and 67 µs together.
	minGroup = 2

	// SyncAll also waits for what other programs have written. When it takes more
	// than slowSync, and more than slowTimes what a file of ours alone takes on
	// this disk, it is not used for slowRest times as long as the last one took:
	// such waits stay a small part of all time. Both are averages over about the
	// last slowMean times, because any sync is late when the processor is busy.
	slowSync  = 20 * time.Millisecond
	slowTimes = 4
	slowRest  = 50
	slowMean  = 8
)

// commits makes the appends of all streams of a store durable. While one stream,
// or a group of them, is being synced, those that come wait and are the next
// group: the busier the disk, the more of them share its work. Whoever comes
// first leads the group; there is no goroutine that waits for work.
//
// Streams sync their own file, all at the same time, where SyncAll cannot be
// had, was slow just now, or has failed once: it has then told of an error that
// may be of any file, also of one that was written and not in the group, and
// will not tell of it again. The file's own Sync will.
type commits struct {
	mu    sync.Mutex    // guards the rest; never held across I/O
	busy  bool          // somebody syncs, and passes the turn on when done
	next  *group        // those who wait for the turn; nil if there is nobody
	crowd bool          // the last to be synced were a group; they are likely to come again
	never bool          // SyncAll is of no use
	rest  time.Time     // until when it is not used
	all   time.Duration // what it took lately
	one   time.Duration // what the sync of a file took lately
}

// group is some streams that become durable together.
type group struct {
	streams []*stream     // complete once turn is closed and the leader took it; the first leads
	turn    chan struct{} // closed when it is theirs
	done    chan struct{} // closed when the rest is known
	apart   bool          // each is to sync its own file
	err     error
}

// sync makes durable what s has written, and the names on the way to it.
func (c *commits) sync(s *stream) error {
	g, leads := c.join(s)
	switch {
	case g == nil && leads:
		defer c.pass()
		return s.sync()
	case g == nil:
		return s.sync()
	case leads:
		<-g.turn
		defer c.pass()
		c.lead(g)
	default:
		<-g.done
	}
	if g.apart {
		return s.sync()
	}
	s.named = s.named || g.err == nil
	return g.err
}

// join adds s to those who wait. No group is for those who need not: a stream
// alone, which leads because it has the turn now, or one of many that share
// nothing.
func (c *commits) join(s *stream) (g *group, leads bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !c.shares():
		return nil, false
	case !c.busy && !c.crowd:
		c.busy = true
		return nil, true
	case c.next == nil:
		c.next = &group{turn: make(chan struct{}), done: make(chan struct{})}
		leads = true
	}
	if !c.busy {
		c.busy = true
		close(c.next.turn)
	}
	c.next.streams = append(c.next.streams, s)
	return c.next, leads
}

// shares reports whether SyncAll is of use now. The caller holds c.mu.
func (c *commits) shares() bool { return !c.never && !time.Now().Before(c.rest) }

// lead decides for g, whose turn it is.
func (c *commits) lead(g *group) {
	c.gather()
	c.mu.Lock()
	c.crowd = len(g.streams) >= minGroup
	c.next = nil // who comes from here on is too late for g
	g.apart = len(g.streams) < minGroup || !c.shares()
	c.mu.Unlock()
	if !g.apart {
		c.syncAll(g)
	}
	close(g.done)
}

// gather lets those run who were woken together and are about to append again.
// Without, the first of them would sync alone and all others wait for it. It
// costs a stream that is alone nothing.
func (c *commits) gather() {
	c.mu.Lock()
	crowd := c.crowd
	c.mu.Unlock()
	if crowd {
		runtime.Gosched()
	}
}

// syncAll syncs all of g at once, and learns what to make of it.
func (c *commits) syncAll(g *group) {
	start := time.Now()
	err := oldest(g.streams).file.SyncAll()
	took := time.Since(start)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all += (took - c.all) / slowMean; c.all > max(slowSync, slowTimes*c.one) {
		c.rest = time.Now().Add(slowRest * max(took, c.all))
		c.all = 0
	}
	if err == nil {
		return
	}
	c.never = true
	if g.apart = errors.Is(err, errors.ErrUnsupported); !g.apart {
		g.err = err
	}
}

// oldest returns the stream whose file was opened first: SyncAll tells of errors
// since then, and none of the group can have written before.
func oldest(streams []*stream) *stream {
	first := streams[0]
	for _, s := range streams {
		if s.number < first.number {
			first = s
		}
	}
	return first
}

// tookAlone learns how long the sync of one file takes.
func (c *commits) tookAlone(took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.one += (took - c.one) / slowMean
}

// pass gives the turn to those who wait for it.
func (c *commits) pass() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == nil {
		c.busy = false
		return
	}
	close(c.next.turn)
}

// sync makes the file of s durable and, once, the names on the way to it.
func (s *stream) sync() error {
	start := time.Now()
	err := s.file.Sync()
	s.store.commits.tookAlone(time.Since(start))
	if err != nil || s.named {
		return err
	}
	for _, dir := range []string{s.dir, s.store.root} {
		if err := s.store.fs.SyncDir(dir); err != nil {
			return err
		}
	}
	err = s.store.nameRoot()
	s.named = err == nil
	return err
}
