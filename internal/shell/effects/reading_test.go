package effects_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/shell/effects"
)

// File tools and commands ask about the same paths outside the allowed folders: those in which
// services and users have settings ask by name, what every program of the system has does not.
func TestReadingIsOneRule(t *testing.T) {
	tools := []string{"view", "grep", "glob"}
	lines := []string{
		"cat PATH", "head PATH", "cat < PATH", "grep -r x PATH", "diff PATH a.txt", "diff a.txt PATH", "cd PATH && ls", "cat a.txt PATH | wc -l", "ls -d PATH/",
		"find PATH -name x", "wc --files0-from=PATH",
	}
	// These ask about every path outside: what they read can start programs, or is not known.
	strict := []string{"source PATH", ". PATH", "git -C PATH status", "git --no-pager -C PATH log"}
	for path, unasked := range map[string]bool{
		"/etc": false, "/etc/environment": false, "/etc/hosts": false, "/etc/passwd": false, "/etc/ld.so.cache": false, "/etc/ssl/certs/ca.pem": false,
		"/usr/local/etc": false, "/usr/local/etc/app/token": false, "/opt": false, "/opt/app/config": false, "/usr/home/v/.netrc": false,
		"/srv/x": false, "/home/v/x": false, "/usr/../etc/hosts": false, "/usr/local/../local/etc/x": false, "/usr/link/environment": false,
		"/usr/local/etcetera": true, "/usr/include/stdio.h": true, "/usr/share/doc": true, "/lib/x": true, "/bin/ls": true, "/w/../usr/bin/x": true, "/etc/alternatives/x": true,
	} {
		for _, auto := range []bool{false, true} {
			sandbox := works(func(s *permit.Sandboxing) { s.AutoAllow = auto })
			for _, tool := range tools {
				q := permit.Request{Kind: permit.Read, Tool: tool, Path: permit.Path{Name: path, Real: leadsTo(path)}}
				if got := here().DecideIn(sandbox, q); (got.Verdict == permit.Allow) != unasked {
					t.Errorf("%s %s: %v (%s)", tool, path, got.Verdict, got.Why)
				}
				if got := here().DecideIn(works(none), q); got.Verdict != permit.Ask {
					t.Errorf("%s %s without a sandbox: %v (%s)", tool, path, got.Verdict, got.Why)
				}
			}
			for _, line := range slices.Concat(lines, strict) {
				text := strings.ReplaceAll(line, "PATH", path)
				got := here().DecideIn(sandbox, commandWithLinks(text))
				want := unasked && !slices.Contains(strict, line)
				if auto && slices.Contains(strict, line) || line == "wc --files0-from=PATH" {
					continue // a sandbox confines what is not clear
				}
				if (got.Verdict == permit.Allow) != want {
					t.Errorf("%q, auto %v: %v (%s)", text, auto, got.Verdict, got.Why)
				}
			}
		}
	}
}

// A folder that holds such settings asks if what is below it is read, and so does a pattern that
// may match one.
func TestSettingsBelowAFolderAskAsWell(t *testing.T) {
	for text, want := range map[string]permit.Verdict{
		"ls /usr/local": permit.Allow, "grep -r x /usr/include": permit.Allow, "cat /usr/share/*/a": permit.Allow,
		"grep -r x /usr": permit.Ask, "rg x /usr/local": permit.Ask, "diff -r /usr/local a": permit.Ask, "cat /usr/local/*/a": permit.Ask, "cat /usr/l*/e[t]c/a": permit.Ask,
		"cat /usr/local/e*": permit.Ask,
	} {
		for _, auto := range []bool{false, true} {
			sandbox := works(func(s *permit.Sandboxing) { s.AutoAllow = auto })
			if got := here().DecideIn(sandbox, commandWithLinks(text)); got.Verdict != want {
				t.Errorf("%q, auto %v: %v (%s), want %v", text, auto, got.Verdict, got.Why, want)
			}
		}
	}
	for tool, want := range map[string]permit.Verdict{"view": permit.Allow, "grep": permit.Ask, "glob": permit.Ask} {
		q := permit.Request{Kind: permit.Read, Tool: tool, Path: permit.Path{Name: "/usr/local", Real: "/usr/local"}}
		if got := here().DecideIn(works(nil), q); got.Verdict != want {
			t.Errorf("%s: %v (%s), want %v", tool, got.Verdict, got.Why, want)
		}
	}
}

// A rule that names a path lets both read it; a deny rule lets neither.
func TestRulesForReadingHoldForBoth(t *testing.T) {
	view := permit.Request{Kind: permit.Read, Tool: "view", Path: permit.Path{Name: "/etc/hosts", Real: "/etc/hosts"}}
	allowed, denied := here("read(/etc/hosts)"), here()
	denied.Deny = here("read(/usr/include/**)").Allow
	header := permit.Request{Kind: permit.Read, Tool: "view", Path: permit.Path{Name: "/usr/include/a", Real: "/usr/include/a"}}
	for name, got := range map[string]permit.Verdict{
		"view": allowed.DecideIn(works(nil), view).Verdict, "cat": allowed.DecideIn(works(nil), understood("cat /etc/hosts")).Verdict,
	} {
		if got != permit.Allow {
			t.Errorf("%s: %v", name, got)
		}
	}
	for name, got := range map[string]permit.Verdict{
		"view": denied.DecideIn(works(nil), header).Verdict, "cat": denied.DecideIn(works(nil), understood("cat /usr/include/a")).Verdict,
	} {
		if got != permit.Deny {
			t.Errorf("denied, %s: %v", name, got)
		}
	}
}

// leadsTo is where a path leads on a machine with two links.
func leadsTo(path string) string {
	path = effects.RealPath(path)
	for from, to := range map[string]string{"/usr/link": "/etc", "/etc/alternatives": "/usr/lib"} {
		if rest, ok := strings.CutPrefix(path, from); ok {
			return to + rest
		}
	}
	return path
}

func commandWithLinks(text string) permit.Request {
	q := understood(text)
	q.Command = effects.Of(text, "/w", "/home/u", func(p string) []string { return []string{leadsTo(p)} })
	return q
}
