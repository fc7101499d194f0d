package permit_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// opens returns a clear command of one program that opens more than it names.
func opens(reach permit.Reach, offline bool, below ...string) permit.Request {
	return with(command("x|x a"), func(q *permit.Request) {
		p := &q.Command.Programs[0]
		p.Opens, p.Offline = reach, offline
		for _, dir := range below {
			p.Below = append(p.Below, permit.Path{Name: dir, Real: dir})
		}
	})
}

// A deny rule that may match is asked about even if everything is allowed. A sandbox settles
// the doubt about paths and hosts, and no other.
func TestDoubt(t *testing.T) {
	unclear := with(opens(permit.Nothing, true), func(q *permit.Request) { q.Command.Unclear = "it uses a variable" })
	hidden := with(unclear, func(q *permit.Request) { q.Command.Hidden = true })
	reads := func(q permit.Request) permit.Request {
		q.Command.Programs = []permit.Program{q.Command.Programs[0]}
		q.Command.Programs[0].ReadOnly = true
		return q
	}
	for _, tc := range []struct {
		name                   string
		rule                   string
		request                permit.Request
		outside, whenSandboxed permit.Verdict
	}{
		{"nothing is opened", "read(.env)", opens(permit.Nothing, true), permit.Allow, permit.Allow},
		{"only what is named", "read(.env)", opens(permit.NamedOnly, true), permit.Allow, permit.Allow},
		{"anything may be read", "read(.env)", opens(permit.Anything, true), permit.Ask, permit.Allow},
		{"anything may be written", "write(.env)", opens(permit.Anything, true), permit.Ask, permit.Allow},
		{"reading writes nothing", "write(.env)", reads(opens(permit.Anything, true)), permit.Allow, permit.Allow},
		{"a folder above", "read(a/.env)", opens(permit.NamedOnly, true, "/w"), permit.Ask, permit.Allow},
		{"a folder beside", "read(a/.env)", opens(permit.NamedOnly, true, "/w/b"), permit.Allow, permit.Allow},
		{"a folder that may hold it", "read(**/.env)", opens(permit.NamedOnly, true, "/w/b"), permit.Ask, permit.Allow},
		{"a folder by another case", "read(A/.env)", opens(permit.NamedOnly, true, "/W/a"), permit.Ask, permit.Allow},
		{"a pattern of folders above", "read(secrets/key)", opens(permit.NamedOnly, true, "/w/s*"), permit.Ask, permit.Allow},
		{"a pattern of other folders", "read(secrets/key)", opens(permit.NamedOnly, true, "/w/t*"), permit.Allow, permit.Allow},
		{"an unclear command may read", "read(.env)", unclear, permit.Ask, permit.Allow},
		{"an unclear command may write", "write(.env)", unclear, permit.Ask, permit.Allow},
		{"an unclear command may connect", "url(evil.example)", unclear, permit.Ask, permit.Allow},
		{"a program that is online", "url(evil.example)", opens(permit.Nothing, false), permit.Ask, permit.Allow},
		{"a program that is online, and no host is allowed", "url", opens(permit.Nothing, false), permit.Ask, permit.Allow},
		{"a program that is not", "url(evil.example)", opens(permit.Anything, true), permit.Allow, permit.Allow},
		{"reading anything cannot be masked", "read", opens(permit.NamedOnly, true), permit.Ask, permit.Ask},
		{"unless nothing is read", "read", opens(permit.Nothing, true), permit.Allow, permit.Allow},
		{"writing at all", "write", opens(permit.Nothing, true), permit.Ask, permit.Ask},
		{"programs that are hidden", "shell(rm)", hidden, permit.Ask, permit.Ask},
		{"words that are hidden", "shell(x b)", unclear, permit.Ask, permit.Ask},
		{"words of another program", "shell(y b)", unclear, permit.Allow, permit.Allow},
		{"a tool of a client", "deploy", unclear, permit.Allow, permit.Allow},
	} {
		r := parse(t, "deny "+tc.rule)
		r.All = true
		got := r.Decide(tc.request)
		if got.Verdict != tc.outside || got.Doubt != (tc.outside == permit.Ask) {
			t.Errorf("%s: %v (%s), doubt %v, want %v", tc.name, got.Verdict, got.Why, got.Doubt, tc.outside)
		}
		if want := tc.outside != tc.whenSandboxed; got.DoubtOutside != want {
			t.Errorf("%s: DoubtOutside is %v (%s)", tc.name, got.DoubtOutside, got.Why)
		}
		r.Sandboxed = true
		if inside := r.Decide(tc.request); inside.Verdict != tc.whenSandboxed {
			t.Errorf("%s, in a sandbox: %v (%s), want %v", tc.name, inside.Verdict, inside.Why, tc.whenSandboxed)
		}
	}
}

// A doubt that the sandbox leaves is reported before one that it settles, and a rule that
// matches before both.
func TestTheHarderDoubtComesFirst(t *testing.T) {
	q := with(opens(permit.Anything, false), func(q *permit.Request) { q.Command.Unclear, q.Command.Hidden = "x", true })
	r := parse(t, "deny url(evil.example)", "deny read(.env)", "deny shell(rm)")
	r.All = true
	if d := r.Decide(q); !d.Doubt || d.DoubtOutside {
		t.Errorf("%+v, want the doubt about shell(rm)", d)
	}
	q.Command.URLs = []string{"https://?", "https://evil.example"}
	if d := r.Decide(q); d.Verdict != permit.Deny {
		t.Errorf("%+v: an address that cannot be read hides one that is denied", d)
	}
}

// The sandbox gets every denied path as an absolute pattern.
func TestDeniedPaths(t *testing.T) {
	r := parse(t, "deny read(.env)", "deny read(/etc/x/**)", "deny read(**/*.pem)", "deny write(src/)", "deny write", "deny url(evil.example)", "deny read(.env)")
	if diff := cmp.Diff([]string{"/w/.env", "/etc/x/**", "/w/**/*.pem"}, r.DeniedPaths(permit.Read)); diff != "" {
		t.Errorf("to read (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"/w/src", "/**"}, r.DeniedPaths(permit.Write)); diff != "" {
		t.Errorf("to write (-want +got):\n%s", diff)
	}
}
