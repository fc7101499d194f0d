package effects_test

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// pageExamples are the examples of the sections "Allow rules", "Protected files", "Deny rules" and "May match" of
// docs/permissions.md. Rules are separated by commas; allowed is --yolo if everything is allowed.
// Programs that only read need a rule here, as in a session of an SDK program.
var pageExamples = []struct {
	allowed, denied, command string
	want                     permit.Verdict
}{
	{"shell(ls)", "", "ls -la a", permit.Allow},
	{"shell(ls -la)", "", "ls -la", permit.Allow},
	{"shell(ls -la)", "", "ls -la a", permit.Ask},
	{"shell(git status)", "", "git status -s", permit.Allow},
	{"shell(npm run build)", "", "npm run build --verbose", permit.Allow},
	{"shell(go test ./...)", "", "go test ./...", permit.Allow},
	{"shell(go test ./...)", "", "go test ./... -race", permit.Ask},
	{"shell(git)", "", "git push", permit.Ask},
	{"shell(git)", "", "git --version", permit.Allow},
	{"shell(git:*)", "", "git push", permit.Allow},
	{"shell(git:*)", "", "github push", permit.Ask},
	{"shell", "", "make", permit.Allow},
	{"shell", "", "make /etc/passwd", permit.Ask},
	{"shell", "", "$X", permit.Ask},
	{"shell(make)", "", "make && ./deploy.sh", permit.Ask},
	{"shell(make)", "", "make > out.txt", permit.Ask},
	{"shell(make), write", "", "make > out.txt", permit.Allow},
	{"shell(make), write(out.txt)", "", "make > out.txt", permit.Allow},
	{"shell(make), write(other.txt)", "", "make > out.txt", permit.Ask},
	{"shell(make)", "", "make && curl https://example.com", permit.Ask},
	{"shell(make), shell(curl), url(example.com)", "", "make && curl https://example.com", permit.Allow},
	{"read(/etc/hosts), shell(cat)", "", "cat /etc/hosts", permit.Ask},
	{"shell, write", "", "cp a .envrc", permit.Ask},
	{"shell, write", "", "cp a .exrc", permit.Ask},
	{"shell, write", "", "tee authorized_keys", permit.Ask},
	{"shell, write", "", "cp a package.json", permit.Allow},
	{"shell, url(*.example.com)", "", "curl https://a.example.com", permit.Allow},
	{"shell, url(*.example.com)", "", "curl https://example.com", permit.Ask},

	{"--yolo", "shell", "ls", permit.Deny},
	{"--yolo", "shell(rm)", "/bin/rm a", permit.Deny},
	{"--yolo", "shell(rm)", "RM a", permit.Deny},
	{"--yolo", "shell(rm)", "sudo rm a", permit.Deny},
	{"--yolo", "shell(rm)", "xargs rm", permit.Deny},
	{"--yolo", "shell(rm)", "sh -c 'rm x'", permit.Deny},
	{"--yolo", "shell(timeout)", "timeout 5 make", permit.Deny},
	{"--yolo", "shell(git)", "git push", permit.Deny},
	{"--yolo", "shell(git push)", "git push origin main", permit.Deny},
	{"--yolo", "shell(git push --force)", "git push --force origin", permit.Deny},
	{"--yolo", "shell(git push --force)", "git push origin --force", permit.Deny},
	{"--yolo", "write", "make > out.txt", permit.Deny},
	{"--yolo", "write", "cp a b", permit.Ask},
	{"--yolo", "write", "cat a", permit.Allow},
	{"--yolo", "read", "cat a", permit.Ask},
	{"--yolo", "read", "mkdir a", permit.Allow},
	{"--yolo", "write(secrets/**)", "cp a SECRETS/b", permit.Deny},
	{"--yolo", "read(secrets/**)", "cp a secrets/b", permit.Deny},
	{"--yolo", "url(example.com)", "curl http://a.example.com/x", permit.Deny},
	{"--yolo", "url(example.com)", "curl EXAMPLE.com.:8080", permit.Deny},
	{"--yolo", "url(example.com)", "curl https://ex%61mple.com", permit.Deny},
	{"--yolo", "url(127.0.0.1)", "curl http://127.1", permit.Deny},
	{"--yolo", "url(example.com)", "curl -s https://example.org", permit.Allow},
	{"--yolo", "url(example.com)", "curl -sL https://example.org", permit.Ask},
	{"--yolo", "url(example.com)", "git push", permit.Ask},
	{"--yolo", "shell(rm)", "npx rm", permit.Deny},
	{"--yolo", "shell(rm)", "docker run alpine rm x", permit.Deny},
	{"--yolo", "shell(rm)", "npx --unheard-of x", permit.Ask},
	{"--yolo", "shell(rm)", "PATH=bin ls", permit.Ask},
	{"--yolo", "shell(rm)", "for f in a b; do echo $f; done", permit.Allow},
	{"--yolo", "shell(git push --force)", "git push $X", permit.Ask},
	{"--yolo", "shell(rm)", `eval "$X"`, permit.Ask},
	{"--yolo", "shell(rm)", "$X a", permit.Ask},
	{"--yolo", "shell(rm)", "python3 -c 'import os'", permit.Ask},
	{"--yolo", "read(secrets/a)", "cat sec*/a", permit.Ask},
	{"--yolo", "read(secrets)", "cat sec*", permit.Ask},
	{"--yolo", "read(.env)", "cat .env", permit.Deny},
	{"--yolo", "read(.env)", "cat .en*", permit.Ask},
	{"--yolo", "read(.env)", "cat a.txt", permit.Allow},
	{"--yolo", "read(.env)", "grep -r x src", permit.Allow},
	{"--yolo", "read(.env)", "ls -R", permit.Allow},
	{"--yolo", "read(.env)", "git status", permit.Allow},
	{"--yolo", "read(.env)", "grep -r x .", permit.Ask},
	{"--yolo", "read(.env)", "git diff", permit.Ask},
	{"--yolo", "read(.env)", "cat $X", permit.Ask},
	{"--yolo", "read(.env)", "./script.sh", permit.Ask},
	{"--yolo", "read(.env)", "make", permit.Ask},
	{"--yolo", "read(.env)", "go test", permit.Ask},
	{"--yolo", "read(.env)", "python3 x.py", permit.Ask},
	{"--yolo", "read(.env)", "sudo make", permit.Ask},
	{"--yolo", "read(.env)", "rg x", permit.Ask},
	{"--yolo", "read(.env)", "cp -r . b", permit.Ask},
	{"--yolo", "read(.env)", "tar cf x.tar .", permit.Ask},
	{"--yolo", "read(.env)", "find . -name x", permit.Allow},
	{"--yolo", "read(.env)", "git log --oneline", permit.Allow},
	{"--yolo", "read(secrets/**)", "cd secrets && cat key", permit.Deny},
	{"--yolo", "read", "ls", permit.Ask},
	{"--yolo", "write", "mkdir a", permit.Ask},
	{"--yolo", "url", "make", permit.Ask},
	{"--yolo", "url(example.com)", "curl 'https://{a,b}.example'", permit.Ask},
	{"--yolo", "url(example.com/admin)", "curl https://example.com/x/%2e%2e/admin", permit.Deny},
	{"--yolo", "url(example.com:8443)", "curl -s https://example.com", permit.Allow},
	{"--yolo", "shell(rm)", "uv run rm", permit.Deny},
	{"--yolo", "shell(rm)", "nix-shell --run 'rm x'", permit.Deny},
	{"--yolo", "shell(rm)", "make", permit.Allow},
	{"--yolo", "write(.env)", "rm -r .", permit.Ask},
	{"--yolo", "write(.env)", "grep -r x .", permit.Allow},
}

func TestRulesOfThePermissionsPage(t *testing.T) {
	for _, tc := range pageExamples {
		r := permit.Rules{Folders: permit.Folders{Primary: "/w"}, All: tc.allowed == "--yolo"}
		if !r.All {
			r.Allow = rules(t, strings.Split(tc.allowed, ", ")...).Allow
		}
		if tc.denied != "" {
			r.Deny = rules(t, tc.denied).Allow
		}
		if got, _ := decide(t, r, tc.command); got.Verdict != tc.want {
			t.Errorf("allowed %s, denied %q: %s: %v (%s), want %v", tc.allowed, tc.denied, tc.command, got.Verdict, got.Why, tc.want)
		}
	}
}
