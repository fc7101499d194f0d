package tui

import (
	"context"
	"errors"
	"sync"
	"time"

	ask "github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/tui/cell"
	"github.com/sidestick-dev/sidestick/internal/tui/composer"
	"github.com/sidestick-dev/sidestick/internal/tui/input"
	"github.com/sidestick-dev/sidestick/internal/tui/question"
	"github.com/sidestick-dev/sidestick/internal/tui/screen"
)

// program is the interface at work. The goroutine of Run owns it.
type program struct {
	Options
	ctx     context.Context
	screen  *screen.Screen
	decoder input.Decoder
	keys    <-chan []byte
	release func() // stops reading keys

	box       composer.Composer
	talk      *cell.Conversation
	questions question.Queue
	question  struct{ from, to int }     // its rows in the last live ones
	arrivals  []*arrival                 // questions that are being made, in the order of their events
	asked     map[*ask.Question]answered // what takes the answers of the questions that wait
	overlays  []overlay                  // the last one is on the screen
	prefix    string                     // the keys of a sequence so far

	joined                                joined
	about                                 Description
	queue                                 Queue
	sent                                  drafts
	recalling                             bool // a message is being taken out of the queue
	queueRead, todosRead, permissionsRead reading
	printed                               map[string]string // the end of the output of the calls that run, by id
	focused                               bool              // the window has the focus, as far as the terminal tells
	working                               bool              // as of the last event
	mode                                  string
	notice                                notice
	leaving                               time.Time // until when a further Ctrl-C leaves
	quit                                  bool

	// correction is what the user wrote with a denial, which ends the run: the next message.
	correction string

	painted   time.Time // the last frame
	answered  time.Time // the last frame that shows what was typed
	keyed     bool      // something was typed since
	stale     bool      // the frame does not show the state
	posts     chan func()
	tasks     sync.WaitGroup // the goroutines beside the loop
	orders    chan order     // to the session, carried out one after the other
	gone      context.Context
	hangUp    context.CancelFunc         // ends what runs beside the loop
	shells    int                        // the commands of the user so far
	stops     map[int]context.CancelFunc // of those that run
	searching bool                       // the pager may have more to search
	waiting   []func()                   // what the user has asked for before the session was open
	broken    error                      // why nothing can be shown any more
}

// Run shows the interface until the user leaves, ctx ends, or the terminal is closed. It leaves the
// session in use. The error says why the terminal cannot be used, or why the session cannot be
// followed.
func Run(ctx context.Context, o Options) error {
	p, err := open(ctx, o)
	if err != nil {
		return err
	}
	defer p.end()
	p.begin()
	return p.loop()
}

// open takes the terminal.
func open(ctx context.Context, o Options) (*program, error) {
	s, err := screen.Open(o.Terminal, o.Getenv)
	if err != nil {
		return nil, err
	}
	s.Choose(o.Theme)
	p := &program{
		Options: o, ctx: ctx, screen: s, focused: true, mode: o.Mode, asked: map[*ask.Question]answered{}, stops: map[int]context.CancelFunc{},
		posts: make(chan func(), maxPosts), orders: make(chan order, maxOrders),
	}
	if p.keys, p.release, err = o.Terminal.Keys(); err != nil {
		s.Restore()
		return nil, err
	}
	p.gone, p.hangUp = context.WithCancel(context.WithoutCancel(ctx))
	return p, nil
}

// begin prepares the state before the first frame.
func (p *program) begin() {
	p.decoder.Brackets = p.screen.MarksPaste()
	p.box.Keys, p.box.Attachments = p.Keys, p.Pasted
	p.box.Vi = p.Vi
	p.box.Placeholder = "Ask anything, / for commands, @ for files, ! for the shell, ? for keys"
	p.box.SetHistory(p.History.Lines())
	if p.Draft != "" {
		p.box.Insert(p.Draft)
	}
	p.talk = cell.New(p.Cells)
	p.tasks.Go(p.carryOut)
	p.beside(func(ctx context.Context) func() {
		s, err := p.Open(ctx)
		return func() { p.opened(s, err) }
	})
}

// opened takes the first session. A message that the user has sent before is sent now.
func (p *program) opened(s Session, err error) {
	if err != nil {
		p.broken = err
		return
	}
	mode := p.mode
	p.join(s)
	if mode != p.Mode { // the user has changed it meanwhile
		p.mode = mode
	}
	p.listCommands()
	if p.First != nil {
		p.effect(p.First)
	}
	p.notice = notice{}
	for _, do := range p.waiting {
		do()
	}
	p.waiting = nil
}

// whenOpen does something as soon as there is a session, and says what it waits for.
func (p *program) whenOpen(do func()) {
	if p.joined.Session != nil {
		do()
		return
	}
	if len(p.waiting) < maxOrders {
		p.waiting = append(p.waiting, do)
	}
	p.say("the session is being opened …")
}

// end waits for everything that runs beside the loop.
func (p *program) end() {
	p.release()
	p.screen.Restore() // what follows may take a moment
	if p.joined.Session != nil {
		p.stopReading()
	}
	close(p.orders)
	p.hangUp()
	done := make(chan struct{})
	go func() { p.tasks.Wait(); close(done) }()
	for {
		select {
		case <-p.posts: // nobody needs what they bring
		case <-done:
			return
		}
	}
}

// errGone ends the loop when the terminal was closed.
var errGone = errors.New("the terminal was closed")
