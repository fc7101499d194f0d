package approval

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

var forLocation = permit.Answer{Outcome: permit.Approved, Scope: permit.ForLocation, Rules: custom("deploy")}

// asks has an agent's call of the tool deploy ask for a permission, and returns the id of
// the request and the answer that comes.
func (p tested) asks(t *testing.T, ctx context.Context, agentID string) (id string, answer <-chan permit.Answer) {
	t.Helper()
	got := make(chan permit.Answer, 1)
	go func() { got <- p.Ask(ctx, requests()["custom"], tool.Call{AgentID: agentID, ID: "c1"}) }()
	synctest.Wait()
	events := p.fake.of("permission.requested")
	if len(events) == 0 {
		t.Fatal("no request was recorded")
	}
	last := events[len(events)-1]
	if last.AgentID != agentID {
		t.Errorf("the request of agent %q is recorded for agent %q", agentID, last.AgentID)
	}
	return wire.Raw(last.Data).Get("requestId").Text(), got
}

// location are the rules that are kept for /w.
func (p tested) location(t *testing.T) int {
	t.Helper()
	b, err := p.requests.files.grants.read()
	if err != nil {
		t.Fatal(err)
	}
	return len(b.at("/w").Rules)
}

// during is a disk that calls f once, when the file of grants is about to be replaced.
// f's error is that of the disk.
func during(f func() error) vfs.FS { return &interrupted{FS: vfs.NewMem(), f: f} }

type interrupted struct {
	vfs.FS
	f      func() error
	called atomic.Bool
}

func (d *interrupted) Rename(from, to string) error {
	if strings.HasSuffix(to, "permissions.json") && !d.called.Swap(true) {
		if err := d.f(); err != nil {
			return err
		}
	}
	return d.FS.Rename(from, to)
}

// deniedWhileSaving asks for a permission. The first answer that is saved finds that a
// denial arrives while the disk writes; saved is what the disk then returns, and denied
// tells whether the denial counted.
func deniedWhileSaving(t *testing.T, saved error) (p tested, id string, answer <-chan permit.Answer, denied chan bool) {
	t.Helper()
	denied = make(chan bool, 1)
	p = on(during(func() error {
		go func() {
			ok, _ := p.Answer(t.Context(), id, permit.Answer{Outcome: permit.Rejected})
			denied <- ok
		}()
		synctest.Wait()
		return saved
	}))
	id, answer = p.asks(t, t.Context(), "")
	return p, id, answer, denied
}

func TestADenialThatComesWhileAnApprovalIsSavedIsTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, id, answer, denied := deniedWhileSaving(t, nil)
		if ok, err := p.Answer(t.Context(), id, forLocation); !ok || err != nil {
			t.Fatalf("Answer = %v, %v", ok, err)
		}
		if a := <-answer; a.Outcome != permit.Approved || <-denied {
			t.Errorf("the call got %+v, want the approval; a denial after it counted", a)
		}
		if p.location(t) != 1 || len(p.fake.of("permission.completed")) != 1 {
			t.Errorf("%d rules are kept and %d answers recorded, want one each", p.location(t), len(p.fake.of("permission.completed")))
		}
	})
}

func TestAnApprovalAfterADenialIsNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := bare()
		id, answer := p.asks(t, t.Context(), "")
		for i, a := range []permit.Answer{{Outcome: permit.Rejected}, forLocation} {
			if ok, err := p.Answer(t.Context(), id, a); ok != (i == 0) || err != nil {
				t.Errorf("answer %d counts: %v, %v", i, ok, err)
			}
		}
		if a := <-answer; a.Outcome != permit.Rejected {
			t.Errorf("the call got %+v, want the denial", a)
		}
		if p.location(t) != 0 {
			t.Error("the approval is kept all the same")
		}
	})
}

func TestADenialCountsIfTheApprovalBeforeItCannotBeSaved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, id, answer, denied := deniedWhileSaving(t, errors.New("the disk is full"))
		if ok, err := p.Answer(t.Context(), id, forLocation); ok || err == nil {
			t.Errorf("Answer = %v, %v, want the error of the disk", ok, err)
		}
		if a := <-answer; a.Outcome != permit.Rejected || !<-denied {
			t.Errorf("the call got %+v, want the denial", a)
		}
		if p.location(t) != 0 {
			t.Error("the approval is kept all the same")
		}
	})
}

// Another owner takes the session over while an approval is saved for its location, or for
// always. That approval is not kept; earlier ones are.
func TestAnApprovalThatCannotBeRecordedIsNotKept(t *testing.T) {
	before := permit.FromWire([]wire.PermissionRule{{Kind: "url", Argument: new("kept.example")}}, "")
	for _, tc := range []struct {
		request string
		scope   permit.Scope
	}{{"custom", permit.ForLocation}, {"url", permit.Always}} {
		synctest.Test(t, func(t *testing.T) {
			var p tested
			lost := errors.New("the session was taken over")
			disk := during(func() error {
				p.fake.mu.Lock()
				p.fake.broken = lost
				p.fake.mu.Unlock()
				return nil
			}).(*interrupted)
			p = on(disk)
			disk.called.Store(true) // not for what was approved before
			if err := p.requests.files.grants.change(func(b *grantsFile) { b.addAddresses(before) }); err != nil {
				t.Fatal(err)
			}
			disk.called.Store(false)
			ctx, cancel := context.WithCancel(t.Context())
			go p.Ask(ctx, requests()[tc.request], tool.Call{ID: "c1"})
			synctest.Wait()
			id := wire.Raw(p.fake.of("permission.requested")[0].Data).Get("requestId").Text()
			if ok, err := p.Answer(t.Context(), id, permit.Answer{Outcome: permit.Approved, Scope: tc.scope}); ok || !errors.Is(err, lost) {
				t.Errorf("%s: Answer = %v, %v", tc.request, ok, err)
			}
			b, err := p.requests.files.grants.read()
			if len(b.Locations) > 0 || len(b.Addresses) != 1 || err != nil {
				t.Errorf("%s: %d locations and the addresses %q are kept, %v", tc.request, len(b.Locations), b.Addresses, err)
			}
			cancel()
		})
	}
}

func TestACallThatIsCanceledWhileItsApprovalIsSavedIsApproved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p := on(during(func() error { cancel(); synctest.Wait(); return nil }))
		id, answer := p.asks(t, ctx, "")
		if ok, err := p.Answer(t.Context(), id, forLocation); !ok || err != nil {
			t.Errorf("Answer = %v, %v", ok, err)
		}
		if a := <-answer; a.Outcome != permit.Approved || p.location(t) != 1 {
			t.Errorf("the call got %+v and %d rules are kept", a, p.location(t))
		}
	})
}

func TestACanceledCallWithdrawsItsRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p := bare()
		id, answer := p.asks(t, ctx, "")
		cancel()
		if a := <-answer; a.Outcome != permit.Canceled {
			t.Errorf("the call got %+v", a)
		}
		if ok, err := p.Answer(t.Context(), id, forLocation); ok || err != nil || p.location(t) != 0 {
			t.Errorf("Answer = %v, %v afterwards, and %d rules are kept", ok, err, p.location(t))
		}
	})
}

// Requests and answers carry the agent id of the thread that asks.
func TestASubAgentAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := bare()
		id, answer := p.asks(t, t.Context(), "agent-1")
		list, err := p.Pending(t.Context())
		if err != nil || len(list.Items) != 1 || list.Items[0].RequestID != id {
			t.Errorf("Pending = %+v, %v", list, err)
		}
		p.Repeat()
		if events := p.fake.of("permission.requested"); len(events) != 2 || events[1].AgentID != "agent-1" || !events[1].ephemeral {
			t.Errorf("the request was repeated as %+v", events)
		}
		if ok, err := p.Answer(t.Context(), id, permit.Answer{Outcome: permit.Approved}); !ok || err != nil {
			t.Fatalf("Answer = %v, %v", ok, err)
		}
		if a := <-answer; a.Outcome != permit.Approved {
			t.Errorf("the call got %+v", a)
		}
		if events := p.fake.of("permission.completed"); len(events) != 1 || events[0].AgentID != "agent-1" {
			t.Errorf("the answer is recorded as %+v, want the agent's id", events)
		}
		if open := p.fake.state.Permissions(); len(open) != 0 {
			t.Errorf("%v is still open in the log", open)
		}
	})
}

// The folder of a session may change while the disk is read for it.
func TestRulesAreThoseOfTheFolderThatTheSessionWorksInNow(t *testing.T) {
	p := bare()
	p.GrantFolder("/v")
	reads := 0
	p.fake.cwd = func() string {
		if reads++; reads == 1 {
			p.fake.state.Cwd = "/v"
			return "/w"
		}
		return p.fake.state.Cwd
	}
	if list, err := p.Folders(t.Context()); err != nil || list.Primary != "/v" || reads != 2 {
		t.Errorf("Folders = %+v, %v after %d reads", list, err, reads)
	}
	p.fake.cwd = func() string { reads++; return "/nowhere" }
	if list, err := p.Folders(t.Context()); err != nil || list.Primary != "" {
		t.Errorf("Folders = %+v, %v of a session that keeps moving, want none", list, err)
	}
}

func TestWithoutAClientThatDecidesTheAnswerIsNoAtOnce(t *testing.T) {
	p := bare()
	p.fake.silent = true
	if a := p.Ask(t.Context(), requests()["custom"], tool.Call{ID: "c1"}); a.Outcome != permit.Unanswerable || a.Why == "" {
		t.Errorf("Ask = %+v", a)
	}
	if p.Waiting() || len(p.fake.of("permission.completed")) != 1 {
		t.Errorf("waiting %v, and %d ends of the request", p.Waiting(), len(p.fake.of("permission.completed")))
	}
}

// A resumed run finds its request under the old id, and the answer that came before it.
func TestARequestOfBeforeAResumeKeepsItsIdAndItsAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := vfs.NewMem()
		p := on(disk)
		id, before := p.asks(t, t.Context(), "")
		resumed := p.fake.open(disk)
		resumed.Expect()
		if ok, err := resumed.Answer(t.Context(), id, permit.Answer{Outcome: permit.Approved}); !ok || err != nil {
			t.Fatalf("Answer = %v, %v", ok, err)
		}
		if a := resumed.Ask(t.Context(), requests()["custom"], tool.Call{ID: "c1"}); a.Outcome != permit.Approved {
			t.Errorf("the resumed call got %+v", a)
		}
		if n := len(p.fake.of("permission.requested")); n != 1 {
			t.Errorf("%d requests were sent, want the one of before", n)
		}
		_, _ = p.Answer(t.Context(), id, permit.Answer{}) // so that the call of before ends
		<-before
	})
}

// A program that resumes a session has a handler that SDKs call first with a request that is sent again. That
// nobody is there to decide counts only if the program does not answer by the id of the request.
func TestThatNobodyIsThereDoesNotBeatTheAnswerOfAProgram(t *testing.T) {
	nobody := permit.Answer{NoUser: true}
	for name, tc := range map[string]struct {
		again bool            // the request was sent again
		then  []permit.Answer // after the answer that nobody is there
		want  permit.Outcome
		after time.Duration
	}{
		"a request that was sent once":        {false, nil, permit.Unanswerable, 0},
		"a request that was sent again":       {true, nil, permit.Unanswerable, absence},
		"with another answer":                 {true, []permit.Answer{{Outcome: permit.Approved}}, permit.Approved, 0},
		"with two handlers":                   {true, []permit.Answer{nobody}, permit.Unanswerable, absence},
		"with a denial by a client's rules":   {true, []permit.Answer{{}}, permit.Unanswerable, 0},
		"with an approval that is kept":       {true, []permit.Answer{forLocation}, permit.Approved, 0},
		"with an answer after a second of it": {true, []permit.Answer{nobody, {Outcome: permit.Rejected}}, permit.Rejected, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := on(vfs.NewMem())
				id, answer := p.asks(t, t.Context(), "")
				if tc.again {
					p.Repeat()
				}
				began := time.Now()
				for _, a := range append([]permit.Answer{nobody}, tc.then...) {
					if ok, err := p.Answer(t.Context(), id, a); !ok || err != nil {
						t.Errorf("Answer(%+v) = %v, %v", a, ok, err)
					}
				}
				if got := <-answer; got.Outcome != tc.want || time.Since(began) != tc.after {
					t.Errorf("the call got %v after %v, want %v after %v", got.Outcome, time.Since(began), tc.want, tc.after)
				}
				time.Sleep(2 * absence)
				if n := len(p.fake.of("permission.completed")); n != 1 || p.Waiting() {
					t.Errorf("%d ends of the request; waiting: %v", n, p.Waiting())
				}
			})
		})
	}
}
