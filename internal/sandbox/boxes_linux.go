package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Boxes are the sandboxes of one session. Commands with equal policies share one: they see
// each other's processes, temporary files and servers. Safe for concurrent use.
type Boxes struct {
	host *Host
	temp string

	mu     sync.Mutex // guards the rest; held while a sandbox starts
	open   map[string]*box
	made   int
	uses   int // calls of find, so that the oldest use is known
	closed bool
}

// Boxes returns the sandboxes of a session. None is started before the first command. Their
// private folders are made below temp, which must be absolute, and are removed with it.
func (h *Host) Boxes(temp string) *Boxes {
	return &Boxes{host: h, temp: temp, open: map[string]*box{}}
}

// maxBoxes bounds the sandboxes of a session. Each is two processes and about 10 MB of memory.
// A session needs three, and more each time its policy changes: the one that was used least
// recently is closed for the next one, with everything that runs in it.
const maxBoxes = 8

// Refused returns what the proxy of the sandbox with the policy has refused since the last
// call, a line for each host.
func (b *Boxes) Refused(p Policy) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if sandbox := b.open[p.Key()]; sandbox != nil && sandbox.proxy != nil {
		return sandbox.proxy.Refused()
	}
	return nil
}

// Start starts a program in the sandbox with the policy, which is started first if it is not
// running. The error is [fault.Unavailable] if no such sandbox can be started here, or the
// program cannot, [fault.Invalid] if the policy cannot be enforced.
func (b *Boxes) Start(p Policy, s Spec) (*Process, error) {
	sandbox, err := b.find(p)
	if err != nil {
		return nil, err
	}
	return sandbox.startProcess(s)
}

// Own returns a folder that has the same path inside and outside, and is writable inside.
func (b *Boxes) Own(p Policy) (string, error) {
	sandbox, err := b.find(p)
	if err != nil {
		return "", err
	}
	return sandbox.rooms.own, nil
}

// Renew ends every sandbox, with everything in it, of which a file that it covers has been
// replaced or made since it started: a mount covers the file that was there then. It returns the
// keys of their policies; the next use starts another one. Call it before each command.
func (b *Boxes) Renew() (ended []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for key, sandbox := range b.open {
		if sandbox.covers.changed() {
			sandbox.close()
			delete(b.open, key)
			ended = append(ended, key)
		}
	}
	return ended
}

// find returns the running sandbox with a policy, or starts it.
func (b *Boxes) find(p Policy) (*box, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := p.Key()
	sandbox := b.open[key]
	b.uses++
	if sandbox != nil && !sandbox.dead() {
		sandbox.used = b.uses
		return sandbox, nil
	}
	if sandbox != nil {
		sandbox.close()
		delete(b.open, key)
	}
	unavailable := func(format string, args ...any) error {
		return fault.New(fault.Unavailable, "sandbox.Start", string(p.Mode), format, args...)
	}
	switch s := b.host.Support(); {
	case b.closed:
		return nil, unavailable("the session is closed")
	case !s.Has(p.Mode):
		return nil, unavailable("no %s sandbox works here: %s", p.Mode, s.Why(p.Mode))
	default:
		b.makeRoom()
		b.made++
		sandbox, err := b.host.start(s, p, filepath.Join(b.temp, fmt.Sprintf("sandbox-%d", b.made)))
		if err != nil {
			return nil, err
		}
		sandbox.used = b.uses
		b.open[key] = sandbox
		return sandbox, nil
	}
}

// makeRoom closes the sandbox that was used least recently if there are too many.
func (b *Boxes) makeRoom() {
	if len(b.open) < maxBoxes {
		return
	}
	oldest := ""
	for key, sandbox := range b.open {
		if oldest == "" || sandbox.used < b.open[oldest].used {
			oldest = key
		}
	}
	b.open[oldest].close()
	delete(b.open, oldest)
}

// Close ends all sandboxes and everything in them. It may be called more than once.
func (b *Boxes) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	var ending sync.WaitGroup
	for _, sandbox := range b.open {
		ending.Go(sandbox.close)
	}
	ending.Wait()
	for _, sandbox := range b.open {
		_ = os.RemoveAll(filepath.Dir(sandbox.rooms.own)) // the next use of the folder tries again
	}
	clear(b.open)
}
