package tui

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/cell"
	"github.com/sidestick-dev/sidestick/internal/tui/complete"
	"github.com/sidestick-dev/sidestick/internal/tui/composer"
	"github.com/sidestick-dev/sidestick/internal/tui/input"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// device is a terminal of 80 columns and 24 rows that shows nothing.
type device struct{ io.Writer }

func (device) Extent() (columns, rows int)      { return 80, 24 }
func (device) Raw() (restore func(), err error) { return func() {}, nil }
func (device) Keys() (<-chan []byte, func(), error) {
	return nil, func() {}, nil
}

// fake is a session that notes what it is asked to do.
type fake struct {
	mu      sync.Mutex
	done    []string
	queue   Queue
	failed  error  // of Send
	stuck   error  // of Interrupt
	at      string // ShellFolder
	free    bool   // everything is allowed
	asks    map[string]*question.Question
	gates   map[string]chan struct{} // that Permission waits for
	tooLate bool                     // SendNow finds no run
	ends    bool                     // what AnswerPermission returns
	late    chan struct{}            // Permission waits for it; nil: it does not wait
	shell   chan struct{}            // Shell waits for it or its context; nil: it does not wait
	log     chan wire.Event          // what Records yields, until it is closed; nil: the session is new
	opens   func() (Effect, error)   // what /new does
	calls   chan *Call
	events  chan follow.Event
}

func (s *fake) note(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = append(s.done, what)
}

// holds sets what waits.
func (s *fake) holds(q Queue) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = q
}

func (s *fake) did(what string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.done, what)
}

func (s *fake) ID() string { return "fake" }
func (s *fake) Describe(context.Context) (Description, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Description{Model: "fake-model", Folder: "~/src", New: s.log == nil, AllowAll: s.free}, nil
}

func (s *fake) Events(ctx context.Context) iter.Seq2[follow.Event, error] {
	return func(yield func(follow.Event, error) bool) {
		for {
			select {
			case e := <-s.events:
				if !yield(e, nil) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

func (s *fake) Records(context.Context) iter.Seq2[wire.Event, error] {
	return func(yield func(wire.Event, error) bool) {
		for s.log != nil {
			e, ok := <-s.log
			if !ok || !yield(e, nil) {
				return
			}
		}
	}
}

func (s *fake) Explain(_ context.Context, f follow.Failure) string {
	s.note("explain " + f.Message)
	return f.Message + ": try again"
}
func (s *fake) Calls() <-chan *Call   { return s.calls }
func (s *fake) Retries() <-chan Retry { return nil }

func (s *fake) Send(_ context.Context, m wire.Send) error {
	if s.failed != nil {
		return s.failed
	}
	s.note("send " + m.AgentMode + ": " + m.Prompt)
	if m.Attachments != nil {
		s.note("attached " + string(m.Attachments))
	}
	return nil
}
func (s *fake) Interrupt(context.Context) error { s.note("interrupt"); return s.stuck }
func (s *fake) Queue(context.Context) (Queue, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.queue, nil
}

func (s *fake) Unqueue(_ context.Context, id string) (bool, error) {
	s.note("unqueue " + id)
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.queue.Items)
	s.queue.Items = slices.DeleteFunc(slices.Clone(s.queue.Items), func(q Queued) bool { return q.ID == id })
	return len(s.queue.Items) < n, nil
}

func (s *fake) SendNow(_ context.Context, id string) (bool, error) {
	s.note("send now " + id)
	return !s.tooLate, nil
}

func (s *fake) MoveTo(_ context.Context, id string, position int) error {
	s.note(fmt.Sprint("move ", id, " to ", position))
	return nil
}
func (s *fake) SetMode(_ context.Context, mode string) error { s.note("mode " + mode); return nil }
func (s *fake) HandOver(context.Context) error               { s.note("hand over"); return nil }

func (s *fake) Shell(ctx context.Context, command string) error {
	s.note("shell " + command)
	if s.shell == nil {
		return nil
	}
	select {
	case <-ctx.Done():
		s.note("stopped " + command)
	case <-s.shell:
	}
	return ctx.Err()
}

func (s *fake) Permission(_ context.Context, r timeline.Request, _ string) (*question.Question, error) {
	if gate := s.gates[r.ID]; gate != nil {
		<-gate
	}
	if s.late != nil {
		<-s.late
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asks[r.ID], nil
}

// ask sets the question of a permission request.
func (s *fake) ask(id string, q *question.Question) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asks[id] = q
}

func (s *fake) AnswerPermission(_ context.Context, id string, a permit.Answer) (string, bool, error) {
	if a.Outcome == permit.Approved {
		s.note("yes " + id)
	} else {
		s.note("no " + id + ": " + a.Feedback)
	}
	return "", s.ends, nil
}

func (s *fake) AnswerForm(_ context.Context, id string, _ wire.ElicitationAnswer) error {
	s.note("form " + id)
	return nil
}

func (s *fake) ShellFolder(context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at, nil
}

func (s *fake) Context(context.Context) (cell.Context, error) {
	return cell.Context{}.With(200_000, cell.ContextPart{Name: "conversation", Tokens: 76_000}), nil
}
func (s *fake) Todos(context.Context) ([]cell.Todo, error) { return nil, nil }
func (s *fake) Leave(context.Context) error                { s.note("leave"); return nil }

// commands are a few commands.
type commands struct {
	other *fake
	page  func() Effect
}

func (c commands) List(context.Context, Session) ([]complete.Candidate, error) {
	return []complete.Candidate{{Text: "hello", Help: "says hello"}}, nil
}

func (c commands) Arguments(context.Context, Session) (map[string][]complete.Candidate, error) {
	return map[string][]complete.Candidate{"hello": {{Text: "world"}, {Text: "wide web"}}}, nil
}

func (c commands) Run(_ context.Context, s Session, name, arg string) (Effect, error) {
	switch name {
	case "hello":
		return Effect{Text: "hello " + arg}, nil
	case "note":
		s.(*fake).note("command " + arg)
		return Effect{}, nil
	case "new":
		return c.other.opens()
	case "other":
		return Effect{Session: c.other}, nil
	case "page":
		return c.page(), nil
	case "quit":
		return Effect{Quit: true}, nil
	}
	return Effect{}, NoCommand("there is no command /" + name)
}

// lines is a history in memory.
type lines []string

func (l *lines) Lines() []string { return *l }
func (l *lines) Add(line string) (store func(context.Context)) {
	*l = append(*l, line)
	return nil
}

// harness is a program whose loop the test is.
type harness struct {
	*program
	t       *testing.T
	session *fake
	other   *fake
	history *lines
	page    func() Effect // of /page
}

func newFake() *fake {
	return &fake{calls: make(chan *Call), events: make(chan follow.Event), asks: map[string]*question.Question{}}
}

func start(t *testing.T) *harness {
	t.Helper()
	return startWith(t, func(*Options) {})
}

// startWith begins with other options.
func startWith(t *testing.T, change func(o *Options)) *harness {
	t.Helper()
	h := &harness{t: t, session: newFake(), other: newFake(), history: &lines{}}
	o := Options{
		Open: func(context.Context) (Session, error) { return h.session, nil }, Commands: commands{other: h.other, page: func() Effect { return h.page() }}, History: h.history, Terminal: device{io.Discard}, Keys: keymap.Default(), Mode: "interactive",
		Getenv: func(string) string { return "" }, Stop: func() error { return nil }, Words: func(_ Session, err error) string { return err.Error() },
		Files: func(context.Context, Session) (*complete.List, error) {
			return complete.NewPaths([]string{"main.go"}), nil
		},
		Pasted: func(string) []composer.Attachment { return nil },
		Keep:   func(context.Context, string) (string, error) { return "~/kept.md", nil },
		Edit:   func(_ context.Context, text string) (string, error) { return text + " edited", nil },
	}
	change(&o)
	p, err := open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	h.program = p
	t.Cleanup(p.end)
	p.begin()
	h.until("the session", func() bool { return h.joined.Session != nil })
	return h
}

// until runs the loop until a condition holds.
func (h *harness) until(what string, holds func() bool) {
	h.t.Helper()
	late := time.After(20 * time.Second)
	for !holds() {
		select {
		case f := <-h.posts:
			f()
		case e, ok := <-h.joined.events:
			h.take(e, ok)
		case c := <-h.joined.calls:
			h.call(c)
		case <-late:
			h.t.Fatalf("waited in vain for %s; the session did %q; the screen:\n%s", what, h.session.done, h.screenText())
		}
	}
}

// done waits until the session did something.
func (h *harness) done(what string) {
	h.t.Helper()
	h.until(what, func() bool { return h.session.did(what) })
}

// press presses keys, which have the names of package input. Words are typed letter by letter.
func (h *harness) press(keys ...string) {
	for _, k := range keys {
		h.key(pressed(k), time.Now())
	}
}

func pressed(name string) input.Key {
	k := input.Key{Name: name}
	if len([]rune(name)) == 1 {
		k.Text = name
	}
	if name == "space" {
		k.Text = " "
	}
	return k
}

// write types a text.
func (h *harness) write(text string) {
	for _, r := range text {
		if r == ' ' {
			h.press("space")
			continue
		}
		h.press(string(r))
	}
}

// happens sends an event of the session.
func (h *harness) happens(typ string, data map[string]any) {
	h.t.Helper()
	raw, err := json.Marshal(data)
	if err != nil {
		h.t.Fatal(err)
	}
	e := wire.Event{Header: wire.Header{ID: wire.NewID(), Type: wire.EventType(typ), Time: time.Now()}, Data: raw}
	var rows timeline.Reader
	h.take(received{Event: follow.Event{Event: e, Row: rows.Add(e)}}, true)
}

// screenText is the live rows as text.
func (h *harness) screenText() string {
	rows, _ := h.live(80, 24, time.Now())
	h.questions.Painted(time.Now())
	h.handing.painted(h.queue.holds(), time.Now())
	return text(rows)
}

func text(rows []row.Row) string {
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(r.String() + "\n")
	}
	return b.String()
}
