package queue_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/queue"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/testing/statetest"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scene is an idle session with a queue. Its runs do nothing: a test ends them with finish.
type scene struct {
	statetest.Session
	q   *queue.Queue
	run *run // nil when idle

	launched []queue.Message
	delivery []string

	alone, agent  bool   // no client is attached; an agent of another system answers
	hooks         bool   // there are some
	personal      bool   // the run waits for a yes or a no of the user
	extension     string // that messages go to
	moves         bool   // they go to another one each time
	swaps         bool   // each time their model reads documents itself, or does not any more
	documents     bool
	limits        string
	gone          bool                 // the session closes
	tooLong       string               // the text of a message that no log takes
	refuses       string               // the reason of a change of the queue that cannot be recorded
	unsend        func() (bool, error) // nil: there is nothing to remove
	asked, titled int                  // how many messages were recorded, and gave a title
	wakes         int                  // of runs that wait for sub-agents
	changed       int                  // how often lists were told
	orphans       int                  // how often they were closed
	attached      []string             // the texts whose attachments were read
	hooksRead     atomic.Int32
	late          func() error                // with leaves: what Change was to do
	leaves        bool                        // the caller of Change leaves while its function runs
	afterChange   func()                      // called when Change has run its function
	beforeWake    func(waiting []waitingText) // called with what waits
}

// waitingText is a message of the queue: its text, and whether it steers.
type waitingText struct {
	Text   string
	Steers bool
}

func newScene() *scene {
	s := &scene{}
	s.q = queue.New(s, "s1", slog.New(slog.DiscardHandler))
	return s
}

// run is a run that does nothing.
type run struct {
	first, begins, prompt string
	command, stopped      bool
	ended                 chan struct{}
}

func (r *run) First() string { return r.first }

func (r *run) Begins() string { return r.begins }

func (r *run) Prompt() string { return r.prompt }

func (r *run) Steerable() bool { return !r.command && !r.stopped }

func (r *run) Abort(reason wire.AbortReason) wire.Data { return &wire.Abort{Reason: reason} }

func (r *run) Ended() <-chan struct{} { return r.ended }

func (r *run) Stop() (first bool) {
	first, r.stopped = !r.stopped, true
	return first
}

func (s *scene) Run() queue.Run {
	if s.run == nil {
		return nil
	}
	return s.run
}

func (s *scene) Launch(m queue.Message, delivery string) {
	if s.run != nil {
		panic("a run began while another one was under way")
	}
	s.launched, s.delivery = append(s.launched, m), append(s.delivery, delivery)
	s.run = &run{begins: m.Interaction.Origin, prompt: m.Send.Prompt, command: m.Command, ended: make(chan struct{})}
	if m.ID != "" {
		s.run.first, s.run.begins = m.Item(), m.Item()
	}
}

func (s *scene) Begin(ctx context.Context, f func() error) error { return s.Change(ctx, f) }

// Change runs its function later for a caller that leaves.
func (s *scene) Change(ctx context.Context, f func() error) error {
	if s.leaves {
		s.late = f
		return context.Canceled
	}
	if s.afterChange != nil {
		defer s.afterChange()
	}
	return s.Session.Change(ctx, f)
}

func (s *scene) Wake() {
	s.wakes++
	if s.beforeWake != nil {
		s.beforeWake(s.texts())
	}
}

func (s *scene) Closing() bool { return s.gone }

func (s *scene) Attended() bool { return !s.alone && !s.gone }

func (s *scene) Prepare(m *queue.Message) {
	if s.moves {
		s.extension += "x"
	}
	if s.swaps {
		s.documents = !s.documents
	}
	m.Extension, m.Documents = s.extension, s.documents
}

func (s *scene) Attach(text string, m queue.Message) prompt.UserMessage {
	if m.Send.Attachments != nil {
		s.attached = append(s.attached, text)
	}
	return prompt.UserMessage{Text: "<" + text + ">", Attachments: m.Send.Attachments}
}

func (s *scene) CheckFormat(form json.RawMessage) error {
	if string(form) == `"wrong"` {
		return errors.New("the form is wrong")
	}
	return nil
}

func (s *scene) HasFormats() bool { return !s.agent }

func (s *scene) AnsweredByAgent() bool { return s.agent }

func (s *scene) Traceparent() string { return "00-of-the-session" }

func (s *scene) LimitsStatus() string { return s.limits }

func (s *scene) Asked(titled bool) {
	s.asked++
	if titled {
		s.titled++
	}
}

func (s *scene) Changed() { s.changed++ }

func (s *scene) ReadHooks(ctx context.Context) error { s.hooksRead.Add(1); return ctx.Err() }

func (s *scene) HasHooks() bool { return s.hooks }

func (s *scene) Listened() {}

func (s *scene) HasPersonal() bool { return s.personal }

func (s *scene) WithdrawPersonal() error { s.personal = false; return nil }

func (s *scene) CloseOrphans() error { s.orphans++; return nil }

func (s *scene) Unsend(context.Context, string) (bool, error) {
	if s.unsend == nil {
		return false, nil
	}
	return s.unsend()
}

// Record refuses a message that is too long, as a session does.
func (s *scene) Record(agentID string, events ...wire.Data) error {
	for _, e := range events {
		body, err := wire.Marshal(e)
		if err != nil {
			return err
		}
		if s.tooLong != "" && e.Type() == "user.message" && wire.Raw(body).Get("content").Text() == s.tooLong {
			return fault.New(fault.Invalid, "session", "s1", "an event is too long")
		}
		if s.refuses != "" && wire.Raw(body).Get("message").Text() == s.refuses {
			return fault.New(fault.Invalid, "session", "s1", "an event is too long")
		}
	}
	return s.Session.Record(agentID, events...)
}

// send sends a message, and returns its id.
func (s *scene) send(t *testing.T, m wire.Send) (id string) {
	t.Helper()
	id, err := s.q.Send(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// say sends messages with these texts.
func (s *scene) say(t *testing.T, texts ...string) (ids []string) {
	t.Helper()
	for _, text := range texts {
		ids = append(ids, s.send(t, wire.Send{Prompt: text}))
	}
	return ids
}

// finish does what a run does with the messages that it begins with and that steer it, and ends it;
// then the next one begins.
func (s *scene) finish(t *testing.T) {
	t.Helper()
	r := s.run
	if r == nil {
		t.Fatal("no run is under way")
	}
	for !r.command && !r.stopped {
		m, ok := s.q.Find(func(m *state.Queued) bool { return m.Item() == r.first || m.Steers() })
		if !ok {
			break
		}
		s.do(t, func() error {
			m.Begin(s.State(), "r1")
			recorded, err := s.q.Record(m, "queued", s.Attach(m.Send.Prompt, m), "")
			if err == nil && !recorded {
				t.Error("a message that waits was not recorded")
			}
			return err
		})
	}
	s.do(t, func() error {
		s.run = nil
		close(r.ended)
		s.q.StartNext()
		return nil
	})
}

// do runs f on the session's goroutine.
func (s *scene) do(t *testing.T, f func() error) {
	t.Helper()
	if err := s.Post(context.Background(), f); err != nil {
		t.Fatal(err)
	}
}

// texts is what waits. It is called on the session's goroutine.
func (s *scene) texts() (waiting []waitingText) {
	for _, m := range s.Fold.Queue {
		waiting = append(waiting, waitingText{m.Send.Prompt, m.Steers()})
	}
	return waiting
}

// waits checks the texts that wait, in their order; one that steers has a "!" before it.
func (s *scene) waits(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	for _, m := range s.texts() {
		if m.Steers {
			m.Text = "!" + m.Text
		}
		got = append(got, m.Text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what waits (-want +got):\n%s", diff)
	}
}

// said checks the texts of the conversation.
func (s *scene) said(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, s.values("user.message", "content")); diff != "" {
		t.Errorf("the conversation (-want +got):\n%s", diff)
	}
}

// values are the texts of one field of all events of a type.
func (s *scene) values(kind wire.EventType, field string) (values []string) {
	for _, e := range s.Sent() {
		if e.Type == kind {
			values = append(values, wire.Raw(e.Data).Get(field).Text())
		}
	}
	return values
}

// why is the last reason that users read for a change of the queue.
func (s *scene) why() string {
	all := s.values("session.info", "message")
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// has reports whether an event of a type was sent.
func (s *scene) has(kind wire.EventType) bool { return slices.Contains(s.Types(), kind) }
