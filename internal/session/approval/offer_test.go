package approval

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// offer has a call ask for a command, and returns what is offered beyond the call, which is
// then approved for the session with that.
func (p tested) offer(t *testing.T, text string) (o Offer, got tool.Permission) {
	t.Helper()
	done := make(chan tool.Permission, 1)
	q := run(text)
	go func() { done <- p.Requests.Ask(t.Context(), &q, &tool.Call{ID: "c1"}) }()
	synctest.Wait()
	events := p.fake.of("permission.requested")
	if len(events) == 0 {
		t.Fatalf("%s: not asked", text)
	}
	id := wire.Raw(events[len(events)-1].Data).Get("requestId").Text()
	o, err := p.Offer(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	answer := permit.Answer{Outcome: permit.Approved}
	if len(o.Rules) > 0 {
		answer.Scope, answer.Rules = permit.ForSession, o.Rules
	}
	if ok, err := p.Answer(t.Context(), id, answer); !ok || err != nil {
		t.Fatalf("%s: Answer = %v, %v", text, ok, err)
	}
	return o, <-done
}

// An approval beyond one call is offered only if the same command is then allowed, in the same
// place.
func TestAnOfferCoversTheSameCommand(t *testing.T) {
	none := func() Works { return Works{} }
	for _, tc := range []struct {
		text  string
		works func() Works
		want  string // the rules that are offered
	}{
		{"make", all, "[shell(make)]"},
		{"git clean -f", all, "[shell(git clean)]"},
		{"make && git add a", all, "[]"}, // by rules, it would run without writing to .git
		{"curl http://localhost:3000/", all, "[shell(curl) url(http://localhost:3000)]"},
		{"curl https://example.com/x", none, "[shell(curl) url(example.com)]"},
		{"git push", none, "[shell(git push)]"},
		{"git push", all, "[]"},
		{"git fetch", all, "[]"},
		{"pip install x", all, "[]"},
		{"curl https://example.com", all, "[]"},
		{"echo hi > a", all, "[]"}, // a rule for echo does not allow writing a
		{"echo hi > a", none, "[]"},
		{"echo hi > .envrc", all, "[]"},
		{"echo hi > .git/hooks/pre-commit", all, "[]"},
		{"echo hi > .envrc", none, "[]"},
		{"make $(cat a)", all, "[]"},
		{"touch /srv/a", all, "[]"},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := confinedSession(tc.works, permit.Rules{})
			o, first := p.offer(t, tc.text)
			if got := fmt.Sprint(o.Rules); got != tc.want {
				t.Errorf("%s: offered %s, want %s", tc.text, got, tc.want)
			}
			if len(o.Rules) == 0 {
				return
			}
			second, request := p.asksFor(t, run(tc.text), no)
			if diff := cmp.Diff(first.Sandbox, second.Sandbox); request != nil || second.Outcome != permit.Approved || diff != "" && len(o.Rules) == 1 {
				t.Errorf("%s: the second time asked: %v, %v, policies:\n%s", tc.text, request != nil, second.Outcome, diff)
			}
		})
	}
}

// Clients read that a command that leaves the sandbox can be approved only once.
func TestACommandThatLeavesIsApprovedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for text, want := range map[string]bool{"make": true, "git push": false, "echo hi > .envrc": false} {
			p := confinedSession(all, permit.Rules{})
			_, request := p.asksFor(t, run(text), no)
			if got := request.Get("permissionRequest").Get("canOfferSessionApproval").True(); request == nil || got != want {
				t.Errorf("%s: asked: %v, more than this call can be approved: %v", text, request != nil, got)
			}
		}
	})
}

// A rule that was approved with a command that leaves the sandbox lets no other command leave
// it, and hides no reason.
func TestAnApprovalLetsNoOtherCommandLeaveTheSandbox(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := confinedSession(all, permit.Rules{})
		echo := permit.Answer{Outcome: permit.Approved, Scope: permit.ForSession, Rules: []permit.Rule{{Kind: permit.Shell, Argument: "echo"}}}
		p.asksFor(t, run("echo hi > .git/hooks/pre-commit"), echo)
		if got, _ := p.asksFor(t, run("echo hi"), no); got.Outcome != permit.Approved || got.Sandbox == nil {
			t.Errorf("a command that stays: %+v", got)
		}
		_, request := p.asksFor(t, run("echo a > .envrc"), no)
		const why = "/w/.envrc can make programs run by themselves, and is protected"
		if got := request.Get("permissionRequest").Get("requestSandboxBypassReason").Text(); got != why {
			t.Errorf("the reason is %q", got)
		}
	})
}
