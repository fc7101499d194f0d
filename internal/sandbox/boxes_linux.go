package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Boxes are the sandboxes of one session. Commands with equal policies share one: they see
// each other's processes, temporary files and servers. Safe for concurrent use.
type Boxes struct {
	host   *Host
	temp   string
	memory memory // of the looks at the allowed folders

	mu     sync.Mutex // guards the rest; held while a sandbox starts
	open   map[string]*box
	made   int
	uses   int // calls of find, so that the oldest use is known
	closed bool
}

// Boxes returns the sandboxes of a session. None is started before the first command. Their
// private folders are made below temp, which must be absolute, and are removed with it.
func (h *Host) Boxes(temp string) *Boxes {
	return &Boxes{host: h, temp: temp, memory: memory{rooms: h.privateFolders(temp)}, open: map[string]*box{}}
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

// Look returns what [Policy.Look] does. It reads only the folders that have changed since
// the session has looked at them.
func (b *Boxes) Look(p Policy) (Traces, map[string]Stamp) { return p.lookAt(&b.memory) }

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

// Clear ends everything that runs in the sandbox with a policy, also what has made a process session of its
// own and lost its parent, and returns when no process of it is left: at most some seconds later, and
// in an ordinary sandbox after a millisecond. The sandbox keeps its private folders, unless it had to
// be ended as a whole.
func (b *Boxes) Clear(p Policy) {
	b.mu.Lock()
	sandbox := b.open[p.Key()]
	b.mu.Unlock()
	if sandbox == nil || sandbox.clear() {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open[p.Key()] == sandbox {
		delete(b.open, p.Key())
	}
}

// Busy reports whether something runs in one of the sandboxes that can change files of the allowed folders.
// With shells, the programs that were started there are shells, which count only if something runs beside
// them: a command in the background, or what it has left. It waits for at most a second for each sandbox.
func (b *Boxes) Busy(shells bool) bool {
	b.mu.Lock()
	var open []*box
	for _, sandbox := range b.open {
		if sandbox.covers.policy.writes() {
			open = append(open, sandbox)
		}
	}
	b.mu.Unlock()
	return slices.ContainsFunc(open, func(sandbox *box) bool { return sandbox.busy(shells) })
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
		sandbox, err := b.host.start(s, p, filepath.Join(b.temp, fmt.Sprintf("sandbox-%d", b.made)), &b.memory)
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

// EndLooks gives back what [Boxes.Look] needs of the system. A further look works, and takes longer.
func (b *Boxes) EndLooks() { b.memory.close() }
