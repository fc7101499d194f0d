package files

import (
	"errors"
	"runtime"
	"sync"
	"time"
)

const (
	// minGroup is how many streams make one SyncAll cheaper. Measured on ext4: two
	// files cost 160 µs of CPU one by one and 67 µs together.
	minGroup = 2

	// SyncAll also waits for data that other programs have written. When it takes more
	// than slowSync, and more than slowTimes as long as the sync of one file on
	// this disk, it is not used for slowRest times as long as the last one took, so
	// that such waits stay a small part of all time. Both are averages over about the
	// last slowMean times, because any sync is late when the processor is busy.
	slowSync  = 20 * time.Millisecond
	slowTimes = 4
	slowRest  = 50
	slowMean  = 8
)

// commits makes the appends of all streams of a store durable. While one stream,
// or a group of them, is being synced, the streams that append wait and become the next
// group: the busier the disk, the more streams share one sync. The first stream of
// a group leads it; there is no goroutine that waits for work.
//
// Streams sync their own files, all at the same time, where SyncAll is not
// available, was slow recently, or has failed once. An error of SyncAll can be about any
// file, also about one that is not in the group, and SyncAll does not report it again;
// the Sync of that file does.
type commits struct {
	mu    sync.Mutex    // guards the rest; never held across I/O
	busy  bool          // a stream is syncing, and passes the permission to sync on when done
	next  *group        // the streams that wait for permission to sync; nil if there are none
	crowd bool          // the last sync was of a group, whose streams are likely to append again
	never bool          // SyncAll is not to be used any more
	rest  time.Time     // until then it is not used
	all   time.Duration // how long it takes, on average
	one   time.Duration // how long the sync of one file takes, on average
}

// group is a number of streams that become durable together.
type group struct {
	streams []*stream     // complete once the leader has begun; the first one leads
	turn    chan struct{} // closed when it is the turn of this group
	done    chan struct{} // closed when apart and err are set
	apart   bool          // each stream is to sync its own file
	err     error
}

// sync makes durable what s has written, and the names of the folders above it.
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

// join adds s to the group that waits. It returns no group for a stream that syncs its
// own file at once: one that is alone, which leads because it has the turn now, or any
// stream while SyncAll is not used.
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

// shares reports whether SyncAll is to be used now. The caller holds c.mu.
func (c *commits) shares() bool { return !c.never && !time.Now().Before(c.rest) }

// lead syncs g, whose turn it is, or decides that each stream is to sync its own file.
func (c *commits) lead(g *group) {
	c.gather()
	c.mu.Lock()
	c.crowd = len(g.streams) >= minGroup
	c.next = nil // streams that come from here on are too late for g
	g.apart = len(g.streams) < minGroup || !c.shares()
	c.mu.Unlock()
	if !g.apart {
		c.syncAll(g)
	}
	close(g.done)
}

// gather lets the streams of the last group run, which are likely to append again.
// Otherwise the first of them would sync alone while all others wait for it. A stream
// that is alone pays nothing for this.
func (c *commits) gather() {
	c.mu.Lock()
	crowd := c.crowd
	c.mu.Unlock()
	if crowd {
		runtime.Gosched()
	}
}

// syncAll syncs all of g at once, and learns from the time and the error.
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

// oldest returns the stream whose file was opened first: SyncAll reports the errors
// since then, and no stream of the group can have written before.
func oldest(streams []*stream) *stream {
	first := streams[0]
	for _, s := range streams {
		if s.number < first.number {
			first = s
		}
	}
	return first
}

// tookAlone notes how long the sync of one file took.
func (c *commits) tookAlone(took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.one += (took - c.one) / slowMean
}

// pass gives the turn to the group that waits for it.
func (c *commits) pass() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == nil {
		c.busy = false
		return
	}
	close(c.next.turn)
}

// sync makes the file of s durable and, once, the names of the folders above it.
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
