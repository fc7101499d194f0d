package approval

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/shell/effects"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// alone is a policy without a session. now is what the log says, all of which this machine has
// granted.
func alone(now *state.State) *policy {
	held := &sessionGrants{Session: "s1", Folders: []string{"/w"}, Rules: permit.ToWire(now.Approved)}
	p := newPolicy(&permit.Rules{}, "plan.md", now, &vouched{now: held})
	p.allowAll = true
	return p
}

// known is what the policy needs to know about files for a request, in a session that works
// in /w.
func known(q permit.Request) (d disk) {
	d.cwd = "/w"
	want := wantFor(&q)
	if want.primary {
		d.primary = "/w"
	}
	if want.own {
		d.own = "/state/s1"
	}
	if want.addresses {
		d.addresses = []permit.Rule{{Kind: permit.URL, Argument: "always.example"}}
	}
	return d
}

// asked is the request of a call as the log holds it.
func asked(t *testing.T, p *policy, q permit.Request) wire.Raw {
	t.Helper()
	_, why := p.decide(known(q), &q)
	data, err := wire.Marshal(why.event("r1", &q, &tool.Call{ID: "c1"}))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// An approval for the session means the same whether the process that asked is still
// there or the log was read: the request is allowed from then on, and what stays in the
// log is enough to know.
func TestAnApprovalForTheSessionIsReadBackFromTheLog(t *testing.T) {
	for name, want := range map[string]string{
		"shell":        "shell(git status) shell(ls)",
		"pipeline":     "shell(go test) shell(tail)",
		"unclear":      "",
		"outside":      "",
		"address":      "shell(curl)",
		"read":         "read",
		"read outside": "read(/etc/hosts)",
		"write":        "write",
		"write git":    "write(/w/.git/config)",
		"url":          "url(example.com)",
		"plain url":    "url(http://example.com)",
		"custom":       "deploy",
	} {
		t.Run(name, func(t *testing.T) {
			now := &state.State{}
			p, q := alone(now), requests()[name]
			again := parseRequest(asked(t, p, q))
			a := p.complete(known(*again), again, permit.Answer{Outcome: permit.Approved, Scope: permit.ForSession})
			result, err := wire.Marshal(&wire.PermissionCompleted{RequestID: "r1", Result: Result(a)})
			if err != nil {
				t.Fatal(err)
			}
			var resumed state.State
			resumed.Apply(1, wire.Event{Header: wire.Header{Type: "permission.completed"}, Data: result})
			now.Approved, p.vouched.now.Rules = resumed.Approved, permit.ToWire(resumed.Approved)
			var got []string
			for _, r := range resumed.Approved {
				got = append(got, r.String())
			}
			if strings.Join(got, " ") != want {
				t.Errorf("approved %q, want %q; the log has %s", got, want, result)
			}
			allowed := p.inForce(known(q), &q).Decide(q).Verdict == permit.Allow
			// A program's approval covers neither files that its output goes to nor addresses.
			if expect := want != "" && name != "shell" && name != "address"; allowed != expect {
				t.Errorf("allowed from then on: %v, want %v", allowed, expect)
			}
		})
	}
}

// A client approves a host without its scheme; the approval covers what was asked.
func TestAHostIsApprovedAsItWasAskedAbout(t *testing.T) {
	p := alone(&state.State{})
	for address, want := range map[string]permit.Verdict{"http://example.com/x": permit.Allow, "https://example.com/x": permit.Allow, "http://example.com:8080/x": permit.Ask} {
		rules := sameScheme([]permit.Rule{{Kind: permit.URL, Argument: "example.com"}}, address)
		q := permit.Request{Kind: permit.URL, Address: address}
		if got := p.inForce(known(q), &q).With(rules...).Decide(q); got.Verdict != want {
			t.Errorf("%s is %v after its host was approved, want %v", address, got.Verdict, want)
		}
	}
}

// A hook can allow a call, but none that a deny rule may match.
func TestAHookAllowsNothingThatMayBeDenied(t *testing.T) {
	for command, want := range map[string]permit.Outcome{
		"make": permit.Approved, "rm x": permit.Forbidden, "eval $X": permit.Unanswerable, "sh -c \"$X\"": permit.Unanswerable, "echo $(date)": permit.Approved,
	} {
		p := alone(&state.State{})
		p.client.Deny = []permit.Rule{{Kind: permit.Shell, Argument: "rm"}}
		q := permit.Request{Kind: permit.Shell, Tool: "bash", Command: effects.Of(command, "/w", "/home/u", asWritten)}
		decided, why := p.decide(known(q), &q)
		got := permit.Unanswerable
		if a := withHook("allow", decided, &why.Decision); a != nil {
			got = a.Outcome
		}
		if got != want {
			t.Errorf("%s: %v (%s), want %v", command, got, why.Why, want)
		}
	}
}

// A preToolUse hook may have the user asked although a rule allows the call. Rules that change
// while the request is open do not answer it for the user, unless they deny it.
func TestWhatAHookHasTheUserAskedIsNotApprovedByARule(t *testing.T) {
	for _, tc := range []struct {
		name, patch string
		open        bool // the request is still open after the change
	}{
		{"allowed", `{"rules":{"approved":[{"kind":"custom-tool","argument":"deploy"}],"denied":[]}}`, true},
		{"denied", `{"rules":{"approved":[],"denied":[{"kind":"custom-tool","argument":"deploy"}]}}`, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, got := bare(), make(chan permit.Answer, 1)
				p.Requests.policy.client.Allow = custom("deploy")
				var patch wire.PermissionsPatch
				if err := json.Unmarshal([]byte(tc.patch), &patch); err != nil {
					t.Fatal(err)
				}
				go func() { got <- p.Ask(t.Context(), requests()["custom"], tool.Call{ID: "c1", Hook: "ask"}) }()
				synctest.Wait()
				if len(p.Requests.open) != 1 {
					t.Fatalf("%d requests are open, want that of the hook", len(p.Requests.open))
				}
				if err := p.Configure(t.Context(), patch); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if open := len(p.Requests.open) == 1; open != tc.open {
					t.Errorf("the request is open: %v", open)
				}
				for id := range p.Requests.open {
					if ok, err := p.Answer(t.Context(), id, permit.Answer{Outcome: permit.Rejected}); !ok || err != nil {
						t.Errorf("Answer = %v, %v", ok, err)
					}
				}
				if a := <-got; a.Outcome == permit.Approved {
					t.Errorf("the call got %+v", a)
				}
			})
		})
	}
}

// A command that a deny rule may match can be approved only once, and the request says why the
// user is asked: a rule for the session would not settle the doubt.
func TestADoubtIsApprovedOnce(t *testing.T) {
	p := alone(&state.State{})
	q := permit.Request{Kind: permit.Shell, Tool: "bash", Command: permit.Command{Text: "make", Programs: []permit.Program{{Name: "make", Words: []string{"make"}}}}}
	if about := asked(t, p, q).Get("permissionRequest"); !about.Get("canOfferSessionApproval").True() || about.Get("warning").Text() != "" {
		t.Errorf("without a deny rule: %s", about)
	}
	p.client.Deny = []permit.Rule{{Kind: permit.Read, Argument: ".env"}}
	folder := permit.Request{Kind: permit.Read, Tool: "grep", Path: permit.Path{Name: "/w", Real: "/w"}}
	if p.decide(known(folder), &folder); !folder.Withholds("/w/.env") || folder.Withholds("/w/a") {
		t.Errorf("a search leaves out %q", folder.Denied)
	}
	if about := asked(t, p, q).Get("permissionRequest"); about.Get("canOfferSessionApproval").True() || !strings.Contains(about.Get("warning").Text(), "read(.env)") {
		t.Errorf("with a deny rule that may match: %s", about)
	}
}
