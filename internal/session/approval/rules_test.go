package approval

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/shell/effects"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

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
			p := bare()
			q := requests()[name]
			a := permit.Answer{Outcome: permit.Approved, Scope: permit.ForSession}
			again := parseRequest(p.askedOf(t, q))
			a.Rules = p.rules(p.disk(again), again).Covering(again)
			result, err := wire.Marshal(&wire.PermissionCompleted{RequestID: "r1", Result: Result(a)})
			if err != nil {
				t.Fatal(err)
			}
			var resumed state.State
			resumed.Apply(1, wire.Event{Header: wire.Header{Type: "permission.completed"}, Data: result})
			p.fake.state.Approved = resumed.Approved
			var got []string
			for _, r := range resumed.Approved {
				got = append(got, r.String())
			}
			if strings.Join(got, " ") != want {
				t.Errorf("approved %q, want %q; the log has %s", got, want, result)
			}
			allowed := p.rules(p.disk(q), q).Decide(q).Verdict == permit.Allow
			// A program's approval covers neither files that its output goes to nor addresses.
			if expect := want != "" && name != "shell" && name != "address"; allowed != expect {
				t.Errorf("allowed from then on: %v, want %v", allowed, expect)
			}
		})
	}
}

// A client approves a host without its scheme; the approval covers what was asked.
func TestAHostIsApprovedAsItWasAskedAbout(t *testing.T) {
	p := bare()
	for address, want := range map[string]permit.Verdict{"http://example.com/x": permit.Allow, "https://example.com/x": permit.Allow, "http://example.com:8080/x": permit.Ask} {
		rules := sameScheme([]permit.Rule{{Kind: permit.URL, Argument: "example.com"}}, address)
		q := permit.Request{Kind: permit.URL, Address: address}
		if got := p.rules(p.disk(q), q).With(rules...).Decide(q); got.Verdict != want {
			t.Errorf("%s is %v after its host was approved, want %v", address, got.Verdict, want)
		}
	}
}

// What a hook allows is allowed, but for what may be denied.
func TestAHookAllowsNothingThatMayBeDenied(t *testing.T) {
	for command, want := range map[string]permit.Outcome{
		"make": permit.Approved, "rm x": permit.Forbidden, "eval $X": permit.Unanswerable, "sh -c \"$X\"": permit.Unanswerable, "echo $(date)": permit.Approved,
	} {
		p := bare()
		p.policy.rules.Deny = []permit.Rule{{Kind: permit.Shell, Argument: "rm"}}
		q := permit.Request{Kind: permit.Shell, Tool: "bash", Command: effects.Of(command, "/w", "/home/u", filepath.Clean)}
		decided, why := p.decide(p.disk(q), q)
		got := permit.Unanswerable
		if a := withHook("allow", decided, why); a != nil {
			got = a.Outcome
		}
		if got != want {
			t.Errorf("%s: %v (%s), want %v", command, got, why.Why, want)
		}
	}
}
