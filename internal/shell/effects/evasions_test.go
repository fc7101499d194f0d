package effects_test

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/testing/effectstest"
)

// yolo allows everything but what a rule denies.
func yolo(t *testing.T, deny string) permit.Rules {
	t.Helper()
	return permit.Rules{All: true, Deny: rules(t, deny).Allow, Folders: permit.Folders{Primary: "/w"}}
}

// Every command of this corpus does, or may do, what a rule denies. None may run without a
// question, even if everything else is allowed.
func TestDenyRulesHold(t *testing.T) {
	seen := map[[2]string]bool{}
	for _, tc := range effectstest.Evasions() {
		if key := [2]string{tc.Rule, tc.Command}; seen[key] || tc.Source == "" {
			t.Errorf("%s and %q: twice, or without a source", tc.Rule, tc.Command)
		} else {
			seen[key] = true
		}
		if got, c := decide(t, yolo(t, tc.Rule), tc.Command); got.Verdict == permit.Allow || got.Verdict == permit.Ask && !got.Doubt {
			t.Errorf("%s, %q (%s): %v, %s\n%+v", tc.Rule, tc.Command, tc.Source, got.Verdict, got.Why, c)
		}
	}
	if len(seen) < 300 {
		t.Errorf("the corpus has shrunk to %d", len(seen))
	}
}

// A deny rule does not get in the way of commands that have nothing to do with it.
func TestDenyRulesLetTheRestPass(t *testing.T) {
	for rule, commands := range map[string][]string{
		"shell(rm)": append(effectstest.Ordinary(), "npx create-react-app@latest x", "docker compose up -d", "docker run --rm -v a:/a alpine ls /a", "uv run pytest -q",
			"FOO=1 make", "for f in a b; do echo $f; done", "nix run .", "kubectl get pods", "bundle exec rspec", "cmake --build out", "echo $(date)"),
		"read(.env)": {
			"ls -la", "ls -R", "cat a.txt", "cat src/*.go", "wc -l *.go", "grep -rn foo src", "rg foo src", "find . -name '*.go'", "git status", "git log --oneline -5", "git diff --stat",
			"mkdir -p a/b", "cp a b", "mv a b", "rm -r src", "sed -i s/a/b/ a.txt", "echo hi > a.txt", "cd src && ls", "test -f a && echo yes", "head -5 a | tail -1",
		},
		"write(deploy/**)":  {"ls -R", "grep -r x .", "git diff", "cp a b", "rm -r src", "mkdir x", "echo hi > a.txt", "cat *.go"},
		"read":              {"echo hi", "mkdir a", "pwd", "touch a", "date", "true && sleep 1"},
		"write":             {"ls", "cat a", "git status", "grep -r x ."},
		"url(evil.example)": {"ls", "git status", "cp a b", "rm a", "curl -sS -o out.json https://example.com/a?b=c", "echo evil.example", "tar czf x.tgz src"},
	} {
		for _, command := range commands {
			if got, c := decide(t, yolo(t, rule), command); got.Verdict != permit.Allow {
				t.Errorf("%s, %q: %v, %s\n%+v", rule, command, got.Verdict, got.Why, c)
			}
		}
	}
}

// In a sandbox that masks denied paths and filters addresses, a rule for one of them asks about
// no command that does not name it.
func TestASandboxSettlesTheDoubt(t *testing.T) {
	for _, rule := range []string{"read(.env)", "write(deploy/**)", "url(evil.example)"} {
		r := yolo(t, rule)
		for _, command := range append(effectstest.Ordinary(), "cat $X", "./script.sh", "make", "go test ./...", "grep -r x .", "A=b make", "find . -type f -exec cat {} +") {
			outside, _ := decide(t, r, command)
			r.Sandboxed = true
			inside, _ := decide(t, r, command)
			r.Sandboxed = false
			if inside.Verdict != permit.Allow || outside.DoubtOutside != (outside.Verdict == permit.Ask) {
				t.Errorf("%s, %q: outside %+v, inside %v (%s)", rule, command, outside, inside.Verdict, inside.Why)
			}
		}
	}
}
