package effects_test

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// pageExamples are the examples of the sections "Allow rules" and "Deny rules" of
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
	{"--yolo", "write", "cp a b", permit.Allow},
	{"--yolo", "read", "cat a", permit.Allow},
	{"--yolo", "write(secrets/**)", "cp a SECRETS/b", permit.Deny},
	{"--yolo", "read(secrets/**)", "cp a secrets/b", permit.Deny},
	{"--yolo", "url(example.com)", "curl http://a.example.com/x", permit.Deny},
	{"--yolo", "shell(rm)", `eval "$X"`, permit.Ask},
	{"--yolo", "shell(rm)", "$X a", permit.Ask},
	{"--yolo", "shell(rm)", "python3 -c 'import os'", permit.Ask},
	{"--yolo", "read(secrets/a)", "cat sec*/a", permit.Ask},
	{"--yolo", "read(secrets)", "cat sec*", permit.Ask},
	{"--yolo", "read(.env)", "cat .env", permit.Deny},
	{"--yolo", "read(.env)", "cat .en*", permit.Ask},
	{"--yolo", "read(.env)", "grep -r x .", permit.Allow},
	{"--yolo", "read(.env)", "cat $X", permit.Allow},
	{"--yolo", "read(.env)", "./script.sh", permit.Allow},
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
