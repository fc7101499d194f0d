package effects_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/shell/effects"
	"github.com/sidestick-dev/sidestick/internal/testing/effectstest"
)

// generous are the rules of a trusting user: a trick that gets past these gets
// past anybody's. They allow reading and writing in /w, and clear commands that change
// nothing.
var generous = []string{
	"shell(git:*)", "shell(ls:*)", "shell(cat:*)", "shell(find:*)", "shell(echo:*)", "shell(grep:*)", "shell(rg:*)", "shell(sed:*)",
	"shell(awk:*)", "shell(sort:*)", "shell(tar:*)", "shell(man:*)", "shell(go test:*)", "shell(go build:*)", "shell(go vet:*)",
	"shell(npm:*)", "shell(make:*)", "shell(python3:*)", "shell(curl:*)", "shell(cp:*)", "shell(mkdir:*)", "shell(touch:*)", "shell(head:*)", "shell(tee:*)",
	"shell(less:*)", "shell(vim:*)", "shell(zip:*)", "shell(rsync:*)", "shell(xargs:*)", "shell(env:*)", "shell(date:*)", "shell(fd:*)", "shell(jq:*)",
	"shell(test:*)", "shell(printf:*)", "shell(cd:*)", "shell(node:*)", "shell(wget:*)", "shell(gcc:*)", "write", "read", "url(example.com)",
}

// links are the symbolic links of the file system in which the corpus is tried.
var links = map[string]string{
	"/w/link": "/etc", "/w/src/passwd": "/etc/passwd", "/w/dangling": "/home/u/.ssh/authorized_keys", "/w/ok": "/w/src",
}

// real follows links in the middle of a path before it removes "..", as the system does.
func real(path string) string {
	done := "/"
	for name := range strings.SplitSeq(path, "/") {
		done = filepath.Join(done, name)
		for from, to := range links {
			if done == from {
				done = to
			}
		}
	}
	return done
}

// reals is the same for patterns.
func reals(path string) []string {
	if strings.HasPrefix(filepath.Clean(path), "/w/links/") && strings.ContainsAny(path, "*?[") {
		return []string{path, "/w/src/a", "/etc/shadow"} // a pattern that matches two links
	}
	return []string{real(path)}
}

func understand(command string) permit.Command {
	return effects.Of(command, "/w", "/home/u", reals)
}

func rules(t *testing.T, texts ...string) permit.Rules {
	t.Helper()
	r := permit.Rules{Folders: permit.Folders{Primary: "/w"}, ReadsInside: true, ReadOnly: true}
	for _, text := range texts {
		rule, err := permit.ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		r.Allow = append(r.Allow, rule)
	}
	return r
}

func decide(t *testing.T, r permit.Rules, command string) (permit.Decision, permit.Command) {
	t.Helper()
	c := understand(command)
	return r.Decide(permit.Request{Kind: permit.Shell, Tool: "bash", Command: c}), c
}

// Every trick of the corpus has got past the permissions of some agent, or is known to
// turn a harmless program into another. None of them may run without an approval.
func TestCorpusIsAskedAbout(t *testing.T) {
	r := rules(t, generous...)
	seen := map[string]bool{}
	for _, tc := range effectstest.Tricks() {
		if seen[tc.Command] {
			t.Errorf("%q is in the corpus twice", tc.Command)
		}
		seen[tc.Command] = true
		if tc.Source == "" {
			t.Errorf("%q has no source", tc.Command)
		}
		if got, c := decide(t, r, tc.Command); got.Verdict == permit.Allow {
			t.Errorf("%q (%s) is allowed: %s\n%+v", tc.Command, tc.Source, got.Why, c)
		} else if got.Why == "" {
			t.Errorf("%q is asked about without a reason", tc.Command)
		}
	}
	if n := len(effectstest.Tricks()); n < 600 {
		t.Errorf("the corpus has shrunk to %d", n)
	}
}

// The same user must not be asked about everyday commands.
func TestOrdinaryCommandsDoNotNag(t *testing.T) {
	r := rules(t, generous...)
	for _, command := range effectstest.Ordinary() {
		if got, c := decide(t, r, command); got.Verdict != permit.Allow {
			t.Errorf("%q: %v, %s\n%+v", command, got.Verdict, got.Why, c)
		}
	}
}

// The corpus needs an approval also if only reading is allowed, and a command that only
// reads needs no rule.
func TestReadingNeedsNoRule(t *testing.T) {
	none := rules(t)
	for _, tc := range slices.Concat(effectstest.Tricks(), effectstest.Writing()) {
		if got, _ := decide(t, none, tc.Command); got.Verdict == permit.Allow {
			t.Errorf("%q (%s) is allowed without any rule: %s", tc.Command, tc.Source, got.Why)
		}
	}
	for _, command := range effectstest.Reading() {
		if got, c := decide(t, none, command); got.Verdict != permit.Allow {
			t.Errorf("%q: %v, %s\n%+v", command, got.Verdict, got.Why, c)
		}
	}
}

// Without the option for reading, nothing is allowed that no rule covers: clients of the
// SDK are asked about everything.
func TestNothingIsAllowedByDefault(t *testing.T) {
	r := permit.Rules{Folders: permit.Folders{Primary: "/w"}}
	for _, command := range effectstest.Ordinary() {
		if got, _ := decide(t, r, command); got.Verdict != permit.Ask {
			t.Errorf("%q: %v, %s", command, got.Verdict, got.Why)
		}
	}
}

// A path is judged by where it leads.
func TestPathsOfFileTools(t *testing.T) {
	r := rules(t, generous...)
	for _, tc := range pathCorpus {
		p := permit.Path{Name: filepath.Clean(tc.path), Real: real(filepath.Clean(tc.path))}
		if got := r.Decide(permit.Request{Kind: tc.kind, Path: p}); got.Verdict != tc.want || got.Why == "" {
			t.Errorf("%s %s (%s): %v (%s), want %v", tc.kind, tc.path, tc.source, got.Verdict, got.Why, tc.want)
		}
	}
}

// A denied program stays denied however the command is written. Where it is not clear
// whether the rule matches, an approval is needed, even if everything else is allowed.
func TestDeniedHoweverItIsWritten(t *testing.T) {
	r := permit.Rules{All: true, Folders: permit.Folders{Primary: "/w"}}
	for _, text := range []string{"shell(rm)", "shell(git push)", "write(secrets/**)", "url(evil.example)"} {
		rule, err := permit.ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		r.Deny = append(r.Deny, rule)
	}
	for command, want := range map[string]permit.Verdict{
		"ls": permit.Allow, "git status": permit.Allow, "echo $HOME $X": permit.Ask, "echo $HOME": permit.Allow, "rmdir x": permit.Allow,
		"rm x": permit.Deny, "/bin/rm x": permit.Deny, `\rm x`: permit.Deny, "'r'm x": permit.Deny, "ls; rm x": permit.Deny, "ls | xargs rm": permit.Deny,
		"sudo -u root rm x": permit.Deny, "echo $(rm x)": permit.Deny, "sh -c 'rm x'": permit.Deny, "find . -exec rm {} +": permit.Deny,
		"timeout 5 rm x": permit.Deny, "env A=b rm x": permit.Deny, "f() { rm x; }; f": permit.Deny, "if true; then rm x; fi": permit.Deny,
		"git push": permit.Deny, "git -C /x push": permit.Deny, "git --no-pager push origin": permit.Deny, "git --git-dir=/x push": permit.Deny,
		"git -c a=b push": permit.Deny, "cat <(rm x)": permit.Deny, "X=$(rm x)": permit.Deny, "cat secrets/key": permit.Deny, "cp a SECRETS/b": permit.Deny,
		"cp -r secrets out": permit.Deny, "cd secrets && cat key": permit.Deny, "cat secrets/../secrets/key": permit.Deny, "cat --file=secrets/key": permit.Deny,
		"cat sec*/key": permit.Ask, "cat *": permit.Ask, "cat */key": permit.Ask, "cat *.go": permit.Allow, "cat src/*": permit.Allow, "cat secret": permit.Allow,
		"curl https://evil.example/x": permit.Deny, "curl https://a.evil.example": permit.Deny, "curl https://u@evil.example": permit.Deny,
		"$X y": permit.Ask, "eval x": permit.Ask, "sh -c \"$X\"": permit.Ask, "git $X": permit.Ask, "python3 -c x": permit.Ask, "echo 'x": permit.Ask,
		strings.Repeat("true;", 400) + "rm x": permit.Ask, // Adversa AI 2026: deny rules of Claude Code ended at the 50th command
	} {
		if got, c := decide(t, r, command); got.Verdict != want {
			t.Errorf("%.60q: %v (%s), want %v\n%+v", command, got.Verdict, got.Why, want, c.Programs)
		}
	}
}

// A deny rule that is accepted matches a command of its program: no name is accepted and then
// without effect.
func TestADeniedNameIsDeniedOrRefused(t *testing.T) {
	for _, name := range []string{
		"touch", "./touch", "/usr/bin/touch", "timeout", "nice", "nohup", "command", "builtin", "time", "export", "declare", "local",
		"readonly", "typeset", "cd", "eval", "exec", "source", ".", "[", "set", "alias", "unset", "sudo", "xargs", "env", "sh", "git",
		"if", "for", "while", "let", "[[", "case", "function", "coproc", "select", "C:/x/touch", "a/", "..", "-x", "é", "a=b", "~/x", "a:",
		"a:b", "a,b", "{a,b}", "!", "{", "((", "$X", "a*", "a?", "[ab]",
	} {
		rule, err := permit.ParseRule("shell(" + name + ")")
		if err != nil {
			continue
		}
		rules := permit.Rules{All: true, Deny: []permit.Rule{rule}, Folders: permit.Folders{Primary: "/w"}}
		for _, arguments := range []string{" 5 x", " x", ""} {
			if name == "command" && arguments == "" {
				continue // runs nothing
			}
			if d, c := decide(t, rules, name+arguments); d.Verdict == permit.Allow {
				t.Errorf("%s does not deny %q (%s): %+v", rule, name+arguments, d.Why, c)
			}
		}
	}
}
