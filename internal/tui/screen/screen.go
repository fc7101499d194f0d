package screen

import (
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// Device is the terminal: a *terminal.TTY, or that of a test.
type Device interface {
	io.Writer
	// Extent returns the present number of columns and rows.
	Extent() (columns, rows int)
	// Raw puts the terminal into raw mode until restore is called.
	Raw() (restore func(), err error)
}

// Screen is what is shown at a terminal. One goroutine at a time may use it, but for Restore,
// which any goroutine may call at any time.
type Screen struct {
	device Device
	kind   kind
	closed atomic.Bool // Restore was called

	mu      sync.Mutex // guards the rest, against Restore
	theme   row.Theme
	raw     func()    // leaves raw mode; nil while suspended
	titled  bool      // the title was changed
	held    []row.Row // final rows that wait for a frame
	live    region
	seen    size      // what Extent returned last
	stale   bool      // the terminal may show the live rows otherwise than they were painted
	quiet   time.Time // nothing is painted before
	waiting bool      // a frame was held back
	over    *overlay
	cutOff  int    // live rows at the top that have no room
	shown   [2]int // the live rows of the last frame that were painted
	hidden  bool   // the cursor
	asked   bool   // for the background
}

type size struct{ columns, rows int }

// Open puts the terminal into raw mode, and asks it to mark pasted text and to tell about its
// focus. The first frame asks for its background; the answer, if one comes, is an
// input.Background for SetDark. getenv is [os.Getenv] or a test's own.
func Open(d Device, getenv func(string) string) (*Screen, error) {
	s := &Screen{device: d, kind: kindOf(getenv), theme: theme(getenv)}
	if err := s.start(); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Screen) start() error {
	restore, err := s.device.Raw()
	if err != nil {
		return err
	}
	s.raw, s.hidden, s.live, s.seen = restore, false, region{}, size{}
	return s.write(s.kind.begin())
}

// Size returns the present number of columns and rows of the terminal.
func (s *Screen) Size() (columns, rows int) { return s.device.Extent() }

// Suspend gives the terminal back, for a shell or an editor: the live rows are erased and the
// terminal works as it did before Open. Frames are held until Resume.
func (s *Screen) Suspend() error {
	if !s.lock() {
		return nil
	}
	defer s.mu.Unlock()
	if s.raw == nil {
		return nil
	}
	p := pen{region: s.live}
	p.erase(s.reflowed())
	return s.giveBack(s.leaveOverlay() + p.String())
}

// settle is how long the kernel has to pass the last text on to the terminal. When Ctrl-C is a
// signal again, it makes the kernel discard text that has not been passed on: with the text the
// ends of the modes, and the shell would be left with keys that it does not know. Nothing tells when
// the text of a pseudo-terminal has been passed on; on a busy machine it took up to a millisecond.
const settle = 5 * time.Millisecond

// giveBack writes a last text, ends all modes, and leaves raw mode.
func (s *Screen) giveBack(text string) error {
	err := s.write(text + s.kind.end() + showCursor)
	time.Sleep(settle)
	s.raw()
	s.raw = nil
	return err
}

// Resume takes the terminal again. The next frame is painted whole, below what was written
// meanwhile.
func (s *Screen) Resume() error {
	if !s.lock() {
		return nil
	}
	defer s.mu.Unlock()
	if s.raw != nil {
		return nil
	}
	return s.start()
}

// restoreWait is how long Restore waits for a frame that is being written: a terminal that does
// not read must not keep the program from ending.
const restoreWait = 200 * time.Millisecond

// Restore returns the terminal as it was before Open: it leaves the overlay, writes final rows
// that were held, puts the cursor below the live rows, and ends all modes. Nothing is painted
// afterwards. It may be called more than once, by any goroutine, and in a handler of panics or
// signals.
func (s *Screen) Restore() {
	if s.closed.Swap(true) {
		return
	}
	for range restoreWait / time.Millisecond {
		if s.mu.TryLock() {
			defer s.mu.Unlock()
			break
		}
		time.Sleep(time.Millisecond)
	}
	if s.raw == nil {
		return
	}
	_ = s.giveBack(s.leaveOverlay() + s.last() + s.untitle()) // the terminal may have been closed
}

// last is what is written below the last frame.
func (s *Screen) last() string {
	p := pen{region: s.live}
	if len(s.held) > 0 {
		p.erase(s.reflowed())
		p.overwrite(s.lines(s.held), nil)
		return p.String()
	}
	if len(s.live.lines) > 0 {
		p.below()
	}
	return p.String()
}

// lock reports whether the Screen may still write, and has locked it then.
func (s *Screen) lock() bool {
	s.mu.Lock()
	if s.closed.Load() {
		s.mu.Unlock()
		return false
	}
	return true
}

func (s *Screen) write(text string) error {
	if text == "" {
		return nil
	}
	_, err := io.WriteString(s.device, text)
	return err
}
