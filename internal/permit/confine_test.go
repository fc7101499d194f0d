package permit_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// The proxy of a sandbox gets the rules for addresses, those that deny included.
func TestAddressesOfRules(t *testing.T) {
	r := parse(t, "url(a.example)", "shell(make)", "url(a.example)")
	r.Deny = parse(t, "url(b.example)", "read(.env)").Allow
	allow, deny := r.Addresses()
	if diff := cmp.Diff([][]string{{"a.example"}, {"b.example"}}, [][]string{allow, deny}); diff != "" {
		t.Error(diff)
	}
	r.AnyURL = true
	if allow, _ = r.Addresses(); len(allow) != 2 || allow[0] != "" {
		t.Errorf("with every address allowed: %q", allow)
	}
}

// A sandbox covers the files of deny rules that name one. A rule without a path is none of its,
// and one with a pattern means that the list is not whole.
func TestDeniedFiles(t *testing.T) {
	for _, tc := range []struct {
		rules []string
		want  []string
		whole bool
	}{
		{[]string{"read(.env)", "read(/x/secrets/**)", "write(.env2)"}, []string{"/w/.env", "/x/secrets"}, true},
		{[]string{"read", "read(.env)"}, []string{"/w/.env"}, true},
		{[]string{"read(*.pem)", "read(.env)"}, []string{"/w/.env"}, false},
	} {
		r := permit.Rules{Folders: permit.Folders{Primary: "/w"}, Deny: parse(t, tc.rules...).Allow}
		files, whole := r.DeniedFiles(permit.Read)
		if diff := cmp.Diff(tc.want, files); diff != "" || whole != tc.whole {
			t.Errorf("%q: whole %t, want %t\n%s", tc.rules, whole, tc.whole, diff)
		}
	}
}

// A path is denied as it is written, with everything below it, also if it looks like a pattern.
func TestDenyPath(t *testing.T) {
	r := permit.Rules{All: true, Deny: permit.DenyPath("/x/a[b]*", "test")}
	for _, kind := range []permit.Kind{permit.Read, permit.Write} {
		for path, want := range map[string]permit.Verdict{"/x/a[b]*": permit.Deny, "/x/a[b]*/c/d": permit.Deny, "/x/ab": permit.Allow, "/x/a[b]c": permit.Allow, "/x/ab/c": permit.Allow} {
			if got := r.Decide(file(kind, path)); got.Verdict != want {
				t.Errorf("%s %s: %v (%s), want %v", kind, path, got.Verdict, got.Why, want)
			}
		}
	}
}

// Only commands can be excluded from the sandbox.
func TestExcludedRules(t *testing.T) {
	if rules, err := permit.ExcludedRules([]string{"shell(docker:*)"}, "a flag"); err != nil || len(rules) != 1 || rules[0].From != "a flag" {
		t.Errorf("%v, %v", rules, err)
	}
	for _, text := range []string{"read(x)", "url(a.example)", "shell("} {
		if rules, err := permit.ExcludedRules([]string{text}, "a flag"); err == nil {
			t.Errorf("%s: %v", text, rules)
		}
	}
}
