package remote_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/remote"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// slow answers with pieces that come one a second.
func slow(pieces int) modeltest.Reply {
	return modeltest.Reply{Text: strings.Repeat("word ", pieces), Piece: 5, Gap: time.Second, Repeat: true}
}

// Each persisted event comes once and in order, wherever the connection is lost.
func TestNothingIsLostOrDoubled(t *testing.T) {
	for _, after := range []time.Duration{0, time.Millisecond, 1500 * time.Millisecond, 4 * time.Second} {
		for _, away := range []time.Duration{0, 3 * time.Second, 20 * time.Second} {
			serve(t, func(t *testing.T, p *process) {
				u := p.enter("")
				defer u.stop()
				u.say("hello")
				time.Sleep(after)
				p.stop()
				time.Sleep(away)
				p.start()
				var seen []follow.Event
				u.until("session.info", &seen)
				if !slices.ContainsFunc(seen, func(e follow.Event) bool { return e.Type == "session.idle" }) {
					u.until("session.idle", &seen)
				}
				u.say("and again")
				u.until("user.message", &seen)
				u.until("session.idle", &seen)
				var got []string
				for _, e := range seen {
					if !e.Ephemeral {
						got = append(got, e.ID)
					}
				}
				want := p.stored(u.ID())
				want = want[slices.Index(want, got[0]):]
				if diff := cmp.Diff(want[:min(len(want), len(got))], got); diff != "" || len(got) < 8 {
					t.Errorf("after %v, away for %v: -log +seen:\n%s", after, away, diff)
				}
			}, slow(5))
		}
	}
}

// A run whose end was missed has ended.
func TestTheEndOfARunWasMissed(t *testing.T) {
	serve(t, func(t *testing.T, p *process) {
		u := p.enter("")
		defer u.stop()
		u.say("hello")
		u.until("assistant.turn_start", nil)
		p.stop()
		time.Sleep(20 * time.Second)
		p.start()
		var seen []follow.Event
		u.until("session.idle", &seen)
		missed := slices.ContainsFunc(seen, func(e follow.Event) bool { return e.Missed })
		answered := slices.ContainsFunc(seen, func(e follow.Event) bool { return e.Type == "assistant.message" })
		if !missed || !answered {
			t.Errorf("missed %v, answered %v", missed, answered)
		}
	}, slow(3))
}

func TestTheServerStaysAway(t *testing.T) {
	serve(t, func(t *testing.T, p *process) {
		u := p.enter("")
		defer u.stop()
		began := time.Now()
		p.stop()
		err := <-u.ended
		if fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "sidestick chat --connect host:1 --resume "+u.ID()) {
			t.Errorf("the events end with %v", err)
		}
		if took := time.Since(began); took < 50*time.Second || took > 70*time.Second {
			t.Errorf("it gave up after %v", took)
		}
		if err := u.Send(t.Context(), wire.Send{Prompt: "hello"}); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("a message without a connection: %v", err)
		}
		p.start()
		again, err := u.link.Resume(t.Context(), u.ID(), remote.Settings{})
		if err != nil {
			t.Fatalf("the session is entered again: %v", err)
		}
		_ = again.Leave(t.Context()) // the test ends
	})
}

// The time for connecting again includes that of each attempt: a machine that swallows what is sent to
// it, and a server that answers nothing, are given up after a minute, too.
func TestAServerThatDoesNotAnswerIsGivenUpAfterAMinute(t *testing.T) {
	for _, mute := range []string{"dial", "server"} {
		serve(t, func(t *testing.T, p *process) {
			u := p.enter("")
			defer u.stop()
			began := time.Now()
			p.mu.Lock()
			p.mute = mute
			p.mu.Unlock()
			p.cut()
			err := <-u.ended
			if took := time.Since(began); took < 50*time.Second || took > 70*time.Second || fault.KindOf(err) != fault.Unavailable {
				t.Errorf("%s: it gave up after %v: %v", mute, took, err)
			}
		})
	}
}

// A server that is there and refuses is not asked again.
func TestTheSessionIsDeletedMeanwhile(t *testing.T) {
	serve(t, func(t *testing.T, p *process) {
		u := p.enter("")
		defer u.stop()
		p.stop()
		time.Sleep(15 * time.Second) // the server has noticed
		if err := p.sessions.Delete(t.Context(), u.ID()); err != nil {
			t.Fatal(err)
		}
		p.start()
		if err := <-u.ended; err == nil || !strings.Contains(err.Error(), u.ID()) {
			t.Errorf("the events end with %v", err)
		}
	})
}

// Each user of a session learns that a model call is made again, and an SDK program gets no event
// that its vendor's runtime does not have.
func TestRetriesAreReported(t *testing.T) {
	busy := modeltest.Failure(529, "", "too busy")
	busy.Header = map[string]string{"Retry-After": "4"}
	serve(t, func(t *testing.T, p *process) {
		a := p.enter("")
		defer a.stop()
		b := p.enter(a.ID())
		defer b.stop()
		a.say("hello")
		for _, u := range []*user{a, b} {
			r := <-u.Retries()
			if r.Next != 2 || r.LeftMs < 100_000 || r.WaitMs != 4000 || !strings.Contains(r.Reason, "too busy") {
				t.Errorf("%+v", r)
			}
			var seen []follow.Event
			u.until("session.idle", &seen)
			if slices.ContainsFunc(seen, func(e follow.Event) bool { return e.Get("infoType").Text() == wire.InfoModelRetry }) {
				t.Error("the retry is shown as a notice, too")
			}
		}
	}, busy, modeltest.Reply{Text: "Hello."})
}

func TestAWrongToken(t *testing.T) {
	serve(t, func(t *testing.T, p *process) {
		_, err := remote.Connect(t.Context(), remote.Options{Dial: p.dial, Address: "host:1", Token: "wrong"})
		if fault.KindOf(err) != fault.Denied || !strings.Contains(err.Error(), "COPILOT_CONNECTION_TOKEN") {
			t.Errorf("%v", err)
		}
	})
}

// asks is a model that calls a tool.
func asks(name, arguments string) []modeltest.Reply {
	return []modeltest.Reply{{ToolCalls: []modeltest.ToolCall{{Name: name, Arguments: arguments}}}, {Text: "done"}}
}

// A question that was open when the connection was lost is asked again, by a new call.
func TestAQuestionIsAskedAgain(t *testing.T) {
	serve(t, func(t *testing.T, p *process) {
		u := p.enter("")
		defer u.stop()
		u.say("hello")
		first := <-u.Calls()
		p.cut()
		again := <-u.Calls()
		<-first.Ctx.Done()
		if string(first.Params) != string(again.Params) || again.Ctx.Err() != nil {
			t.Errorf("asked first\n%s\nthen\n%s, %v", first.Params, again.Params, again.Ctx.Err())
		}
		again.Reply(wire.UserInputAnswer{Answer: "this"}, nil)
		u.until("session.idle", nil)
		<-again.Ctx.Done()
	}, asks("ask_user", `{"question":"Which?"}`)...)
}

// The second user is asked what is open when they come; the first answer takes the question back.
func TestAUserComesWhileAQuestionIsOpen(t *testing.T) {
	serve(t, func(t *testing.T, p *process) {
		a := p.enter("")
		defer a.stop()
		a.say("hello")
		first := <-a.Calls()
		b := p.enter(a.ID())
		defer b.stop()
		second := <-b.Calls()
		second.Reply(wire.UserInputAnswer{Answer: "this"}, nil)
		<-first.Ctx.Done()
		a.until("session.idle", nil)
		b.until("session.idle", nil)
	}, asks("ask_user", `{"question":"Which?"}`)...)
}

// A permission request that is open when a user comes is asked, and one that was answered while the
// connection was lost is taken back.
func TestPermissionRequestsOfOthers(t *testing.T) {
	serve(t, func(t *testing.T, p *process) {
		a := p.enter("")
		defer a.stop()
		a.say("hello")
		id := a.until("permission.requested", nil).Get("requestId").Text()
		b := p.enter(a.ID())
		defer b.stop()
		if again := b.until("permission.requested", nil); again.Get("requestId").Text() != id {
			t.Errorf("asked for %s, want %s", again.Data, id)
		}
		if o, err := b.Offer(t.Context(), id); err != nil || len(o.Rules) != 1 || o.Rules[0].String() != "act" || o.Location.LocationKey != "/work" || o.Location.LocationType != "dir" {
			t.Errorf("the offer is %+v, %v", o, err)
		}
		p.stop()
		p.start()
		for _, u := range []*user{a, b} {
			u.until("session.info", nil)
		}
		if ok, err := a.Permit(t.Context(), id, permit.Answer{Outcome: permit.Approved}); err != nil || !ok {
			t.Errorf("answered %v, %v", ok, err)
		}
		if e := b.until("permission.completed", nil); e.Get("requestId").Text() != id {
			t.Errorf("completed: %s", e.Data)
		}
		if ok, err := b.Permit(t.Context(), id, permit.Answer{Outcome: permit.Rejected}); err != nil || ok {
			t.Errorf("a late answer counts: %v, %v", ok, err)
		}
		b.until("session.idle", nil)
	}, asks("act", `{}`)...)
}

// A session that another client has closed can be entered again on the same connection.
func TestAnotherClientClosesTheSession(t *testing.T) {
	serve(t, func(t *testing.T, p *process) {
		a, b := p.enter(""), p.connect()
		defer a.stop()
		defer b.Close()
		if err := b.Delete(t.Context(), "none"); err == nil {
			t.Error("a session that does not exist was deleted")
		}
		other, err := b.Resume(t.Context(), a.ID(), remote.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Call(t.Context(), "session.destroy", map[string]any{"sessionId": other.ID()}, nil); err != nil {
			t.Fatal(err)
		}
		if err := <-a.ended; err != nil || !a.Ended() {
			t.Errorf("the events end with %v; ended %v", err, a.Ended())
		}
		if err := a.Leave(t.Context()); err != nil {
			t.Error(err)
		}
		again, err := a.link.Resume(t.Context(), a.ID(), remote.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Leave(t.Context()); err != nil { // a second time, which leaves the new one alone
			t.Error(err)
		}
		if err := again.Send(t.Context(), wire.Send{Prompt: "hello"}); err != nil {
			t.Error(err)
		}
	}, slow(1))
}
