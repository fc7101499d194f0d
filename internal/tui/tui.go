package tui

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/sidestick-dev/sidestick/internal/tui/cell"
	"github.com/sidestick-dev/sidestick/internal/tui/composer"
	"github.com/sidestick-dev/sidestick/internal/tui/input"
	"github.com/sidestick-dev/sidestick/internal/tui/screen"
)

// program is the interface at work. The goroutine of Run owns it.
type program struct {
	Options
	*work
	ctx     context.Context
	screen  *screen.Screen
	decoder input.Decoder
	keys    <-chan []byte
	release func() // stops reading keys

	// The parts of the screen.
	box       composer.Composer
	talk      *cell.Conversation
	questions questions
	overlays  []overlay // the last one is on the screen
	notice    notice

	// The session, as far as the interface knows it.
	joined                                joined
	entries                               int       // how many sessions were entered, or are being
	opening                               time.Time // since when a session is being opened; zero if none is
	about                                 Description
	mode, kept                            string  // of further messages, and what the session has of it
	keeping                               Reading // makes kept the mode of the session
	working                               bool    // a run is under way, as of the last event
	queue                                 Queue
	queueRead, todosRead, permissionsRead Reading
	arranging                             *waiting // the list of what is queued that was opened last
	contextRead, shellRead                Reading
	shellAt                               string // where the next shell command starts, "" if it is not known

	// The input that is under way.
	prefix    string  // the keys of a sequence so far
	pressed   presses // the last key
	handing   handing
	leaving   time.Time // until when a further Ctrl-C leaves
	sent      drafts
	recalling bool // a message is being taken out of the queue
	own       ownCommands
	drafting  drafting
	listening []*meanwhile // the commands at work
	waiting   []pending    // what the user has asked for before the session was open
	searching bool         // the pager may have more to search
	pasting   pasting

	// The loop.
	painted  time.Time // the last frame
	answered time.Time // the last frame that shows what was typed
	keyed    bool      // something was typed since
	stale    bool      // the frame does not show the state
	focused  bool      // the window has the focus, as far as the terminal tells
	quit     bool
	broken   error // why nothing can be shown any more
}

// Run shows the interface until the user leaves, ctx ends, or the terminal is closed. It returns the
// session that was shown last, which is still in use; nil if there was none. The error says why the terminal cannot be used, or why the session cannot be
// followed.
func Run(ctx context.Context, o Options) (last Session, err error) {
	p, err := open(ctx, o)
	if err != nil {
		return nil, err
	}
	defer p.end()
	p.begin()
	err = p.loop()
	return p.joined.Session, err
}

// open takes the terminal.
func open(ctx context.Context, o Options) (*program, error) {
	s, err := screen.Open(o.Terminal, o.Getenv)
	if err != nil {
		return nil, err
	}
	s.Choose(o.Theme)
	p := &program{
		Options: o, ctx: ctx, screen: s, focused: true, mode: cmp.Or(o.Mode, "interactive"),
	}
	if p.keys, p.release, err = o.Terminal.Keys(); err != nil {
		s.Restore()
		return nil, err
	}
	p.work = newWork(ctx, p.fail)
	return p, nil
}

// begin prepares the state before the first frame.
func (p *program) begin() {
	p.decoder.Brackets = p.screen.MarksPaste()
	p.box.Keys, p.questions.Keys, p.Cells.Keys = p.Keys, p.Keys, p.Keys
	p.box.Vi = p.Vi
	p.box.SetHistory(p.History.Lines())
	p.talk = cell.New(p.Cells)
	if p.Name != "" {
		p.talk.Welcome(p.Name, "type a message; /help shows the commands and keys")
	}
	p.takeDraft()
	p.opening = time.Now()
	p.pressed.returned(p.opening)
	p.beside(func(ctx context.Context) func() {
		s, err := p.Open(ctx)
		return func() { p.opened(s, err) }
	})
}

// opened takes the first session. A message that the user has sent before is sent then.
func (p *program) opened(s Session, err error) {
	if err != nil {
		p.broken = err
		return
	}
	p.enter(s, func() {
		if p.First != nil {
			p.effect("", p.First)
		}
	})
}

// isOpen reports whether there is a session to send something to.
func (p *program) isOpen() bool { return p.joined.Session != nil && p.opening.IsZero() }

// whenOpen does something as soon as there is a session, and says what it waits for.
func (p *program) whenOpen(do func()) {
	if p.isOpen() {
		do()
		return
	}
	p.await(pending{do: do})
}

// end waits for everything that runs beside the loop.
func (p *program) end() {
	p.release()
	p.screen.Restore() // what follows may take a moment
	if p.joined.Session != nil {
		p.stopReading()
	}
	p.work.end()
	p.endDraft()
}

// errGone ends the loop when the terminal was closed.
var errGone = errors.New("the terminal was closed")
