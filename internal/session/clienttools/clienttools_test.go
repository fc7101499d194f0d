package clienttools_test

import (
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/session/clienttools"
	"github.com/sidestick-dev/sidestick/internal/testing/statetest"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// scene is a session with the calls of its clients' tools.
type scene struct {
	statetest.Session
	*clienttools.Calls
}

func newScene() *scene {
	s := &scene{}
	s.Calls = clienttools.New(s, "s1")
	return s
}

func (s *scene) Builtin(name string) bool { return name == "bash" }

func (s *scene) Model() string { return "test-model" }
func (s *scene) Trace() string { return "00-trace" }

// Record lets clients know of results, as a session does.
func (s *scene) Record(agentID string, events ...wire.Data) error {
	err := s.Session.Record(agentID, events...)
	for _, e := range events {
		if done, is := e.(*wire.ToolComplete); is && err == nil {
			s.Recorded(agentID, done.ToolCallID)
		}
	}
	return err
}

// client is a client, with what it alone was sent.
type client struct {
	*clienttools.Tools
	told []string // types, with the thread
}

func (c *client) Send(agentID string, event wire.Data) {
	c.told = append(c.told, strings.TrimSpace(string(event.Type())+" "+agentID))
}

// join attaches a client with tools; active says that others are attached, before are its tools until now.
func (s *scene) join(t *testing.T, active bool, before []string, tools ...string) *client {
	t.Helper()
	c := &client{}
	_ = s.Do(t.Context(), func() error {
		var list []wire.Tool
		for _, name := range tools {
			list = append(list, wire.Tool{Name: name, SkipPermission: true})
		}
		c.Tools = s.Bring(c, list)
		s.Join(c.Tools)
		s.TakeOver(c.Tools, before, active)
		return nil
	})
	return c
}

func (s *scene) leave(t *testing.T, c *client) {
	t.Helper()
	_ = s.Do(t.Context(), func() error { s.Leave(c.Tools); return nil })
}

// begin has a client's tool run a call, and returns where its result will be.
func (s *scene) begin(ctx context.Context, c *client, id string) <-chan tool.Result {
	result := make(chan tool.Result, 1)
	run := c.Tools.Tools()[0]
	go func() { result <- run.Run(ctx, tool.Call{ID: id, Name: run.Definition().Name}) }()
	synctest.Wait()
	return result
}

// asked is the request id of the last call that was handed out.
func (s *scene) asked(t *testing.T) (id string) {
	t.Helper()
	for _, e := range s.Sent() {
		if e.Type == "external_tool.requested" {
			id = wire.Raw(e.Data).Get("requestId").Text()
		}
	}
	if id == "" {
		t.Fatal("no call was handed out")
	}
	return id
}

// answer answers a call, and returns what Answer does.
func answer(t *testing.T, c *client, id, text string) <-chan error {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		ok, err := c.Answer(t.Context(), wire.ToolCallAnswer{RequestID: id, Result: wire.ToolCallString(text)})
		if !ok && err == nil {
			err = errors.New("it does not count")
		}
		done <- err
	}()
	synctest.Wait()
	return done
}

// A client that answers waits until the result of its call is recorded.
func TestAnAnswerIsConfirmedOnceItIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene()
		c := s.join(t, false, nil, "look")
		result := s.begin(t.Context(), c, "c1")
		if sent := wire.Raw(s.Sent()[0].Data); sent.Get("traceparent").Text() != "00-trace" || sent.Get("sessionId").Text() != "s1" || !s.Waiting() {
			t.Errorf("handed out: %s", sent)
		}
		done := answer(t, c, s.asked(t), "seen")
		if got := <-result; got.Text != "seen" || got.Outcome != tool.Success || !s.Answering() || s.Waiting() {
			t.Errorf("the result is %+v", got)
		}
		select {
		case err := <-done:
			t.Errorf("the client was answered before its result was recorded: %v", err)
		default:
		}
		_ = s.Do(t.Context(), func() error { return s.Record("", turn.Completed("c1", tool.Result{Text: "seen"})) })
		if err := <-done; err != nil || s.Answering() {
			t.Errorf("Answer = %v", err)
		}
	})
}

// A result that the run could not record is an error for the client that gave it.
func TestAnAnswerThatIsNotRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene()
		c := s.join(t, false, nil, "look")
		result := s.begin(t.Context(), c, "c1")
		done := answer(t, c, s.asked(t), "seen")
		<-result
		broken := errors.New("the disk is full")
		_ = s.Do(t.Context(), func() error { s.Finish("", broken); return nil })
		if err := <-done; !errors.Is(err, broken) {
			t.Errorf("Answer = %v, want %v", err, broken)
		}
	})
}

// A call ends with its run; an answer that comes later does not count.
func TestACallEndsWithItsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene()
		c := s.join(t, false, nil, "look")
		ctx, abort := context.WithCancel(t.Context())
		result := s.begin(ctx, c, "c1")
		abort()
		if got := <-result; got.Outcome != tool.Interrupted || s.Waiting() {
			t.Errorf("the result is %+v, want an interruption", got)
		}
		if err := <-answer(t, c, s.asked(t), "late"); err == nil {
			t.Error("a late answer counts")
		}
		if types := s.Types(); types[len(types)-1] != "external_tool.completed" {
			t.Errorf("clients were sent %v, want the end of the call", types)
		}
	})
}

// The newest client of a tool gets its open call, and the answer of the one before does not count
// while the newest is attached.
func TestANewerClientTakesAToolOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene()
		first := s.join(t, false, nil, "look")
		result := s.begin(t.Context(), first, "c1")
		second := s.join(t, true, nil, "look")
		if want := []string{"session.warning", "external_tool.completed"}; !slices.Equal(first.told, want) {
			t.Errorf("the first client was sent %q, want %q", first.told, want)
		}
		if want := []string{"external_tool.requested"}; !slices.Equal(second.told, want) || s.Owner("look") != second.Tools || len(first.Names()) > 0 {
			t.Errorf("the second client was sent %q, want %q", second.told, want)
		}
		record := eventlog.Record{JSON: wire.AppendEvent(nil, &s.Sent()[0].Event)}
		if !first.Withholds(record) || second.Withholds(record) {
			t.Error("the first client sees calls of the tool that it has lost, or the second does not")
		}
		if err := <-answer(t, first, s.asked(t), "stale"); err == nil {
			t.Error("the answer of a client that has lost the tool counts")
		}
		s.leave(t, second)
		answer(t, first, s.asked(t), "again")
		if got := <-result; got.Text != "again" {
			t.Errorf("the result is %+v, want that of the client that is left", got)
		}
		_ = s.Do(t.Context(), func() error { return s.Record("", turn.Completed("c1", tool.Result{})) })
	})
}

// A client that comes back with its tools does not get the calls again that it still works on. One that
// replaces its tools gets those of the tools that are new to it.
func TestWhoGetsOpenCallsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene()
		first := s.join(t, false, nil, "look")
		ctx, abort := context.WithCancel(t.Context())
		defer abort()
		s.begin(ctx, first, "c1")
		s.leave(t, first)
		if back := s.join(t, true, []string{"look"}, "look"); len(back.told) > 0 {
			t.Errorf("a client that is back was sent %q", back.told)
		} else {
			s.leave(t, back)
		}
		alone := s.join(t, false, nil, "look")
		if len(alone.told) > 0 {
			t.Errorf("the first client of a session was sent %q", alone.told)
		}
		s.leave(t, alone)
		other := s.join(t, true, nil, "find")
		if err := other.Set(t.Context(), []wire.Tool{{Name: "look"}}); err != nil || !slices.Equal(other.told, []string{"external_tool.requested"}) {
			t.Errorf("Set = %v; the client was sent %q, want the open call", err, other.told)
		}
		if err := other.Set(t.Context(), []wire.Tool{{Name: "bash"}}); err == nil {
			t.Error("a tool may have the name of a built-in one")
		}
		if err := other.Set(t.Context(), []wire.Tool{{Name: "a"}, {Name: "a"}}); err == nil {
			t.Error("two tools may have one name")
		}
	})
}

// A call from before a resume is answered under its request id, before or after the run comes to it.
func TestACallFromBeforeAResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before, s := newScene(), newScene()
		ctx, abort := context.WithCancel(t.Context())
		defer abort()
		before.begin(ctx, before.join(t, false, nil, "look"), "c1")
		id := before.asked(t)
		_ = s.Do(t.Context(), func() error {
			for _, e := range before.Sent() {
				s.Fold.Apply(s.Fold.Seq+1, e.Event)
			}
			s.Expect(s.Fold.Main.External)
			return nil
		})
		c := s.join(t, false, nil, "look")
		done := answer(t, c, id, "seen")
		if got := <-s.begin(t.Context(), c, "c1"); got.Text != "seen" {
			t.Errorf("the result is %+v", got)
		}
		for _, e := range s.Types() {
			if e == "external_tool.requested" {
				t.Error("the call was handed out again")
			}
		}
		_ = s.Do(t.Context(), func() error { return s.Record("", turn.Completed("c1", tool.Result{})) })
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// The forms of an answer: a text, an error, a result with files.
func TestFormsOfAnAnswer(t *testing.T) {
	picture := base64.StdEncoding.EncodeToString([]byte("dot"))
	for name, tc := range map[string]struct {
		answer wire.ToolCallAnswer
		want   tool.Outcome
		text   string
		files  int
	}{
		"nothing":    {wire.ToolCallAnswer{}, tool.Success, "", 0},
		"an error":   {wire.ToolCallAnswer{Error: new("boom")}, tool.Failure, "Failed to execute", 0},
		"a denial":   {wire.ToolCallAnswer{Result: &wire.ToolCallText{TextResultForLlm: "no", ResultType: new("denied")}}, tool.Denied, "no", 0},
		"a failure":  {wire.ToolCallAnswer{Result: &wire.ToolCallText{TextResultForLlm: "no", Error: new("boom")}}, tool.Failure, "no", 0},
		"a picture":  {wire.ToolCallAnswer{Result: &wire.ToolCallText{BinaryResultsForLlm: []wire.ToolCallFile{{MIMEType: "image/png", Data: picture}}}}, tool.Success, "", 1},
		"an archive": {wire.ToolCallAnswer{Result: &wire.ToolCallText{BinaryResultsForLlm: []wire.ToolCallFile{{MIMEType: "application/zip", Data: picture}}}}, tool.Success, "3 bytes, which cannot be shown", 0},
		"not base64": {wire.ToolCallAnswer{Result: &wire.ToolCallText{BinaryResultsForLlm: []wire.ToolCallFile{{MIMEType: "image/png", Data: "?"}}}}, tool.Success, "it is not base64", 0},
		"many files": {wire.ToolCallAnswer{Result: &wire.ToolCallText{BinaryResultsForLlm: slices.Repeat([]wire.ToolCallFile{{MIMEType: "image/png", Data: picture}}, 50)}}, tool.Success, "10 more files are left out", 40},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScene()
				c := s.join(t, false, nil, "look")
				result := s.begin(t.Context(), c, "c1")
				tc.answer.RequestID = s.asked(t)
				go func() { _, _ = c.Answer(t.Context(), tc.answer) }()
				got := <-result
				_ = s.Do(t.Context(), func() error { s.Finish("", nil); return nil })
				if got.Outcome != tc.want || !strings.Contains(got.Text, tc.text) || len(got.Files) != tc.files {
					t.Errorf("the result is %v %q with %d files, want %v %q with %d", got.Outcome, got.Text, len(got.Files), tc.want, tc.text, tc.files)
				}
			})
		})
	}
}
