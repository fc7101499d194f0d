package peerfile_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/peerfile"
	"github.com/sidestick-dev/sidestick/internal/permit"
)

var from = peerfile.Origin{Name: ".claude/settings.json", Project: "/repo", Home: "/home/u"}

// What a rule of Claude Code becomes in each list. "-" is a rule that has no effect, which a warning names; a
// ! after a rule means that a warning says how it differs.
func TestTheRulesOfClaudeCode(t *testing.T) {
	for _, tc := range []struct{ rule, deny, allow string }{
		{"Bash", "shell", "shell"},
		{"Bash(*)", "shell", "shell"},
		{"Bash(npm run build)", "shell(npm run build)", "shell(npm run build)"},
		{"Bash(npm run test:*)", "shell(npm run test:*)", "shell(npm run test:*)"},
		{"Bash(npm run test *)", "shell(npm run test:*)", "shell(npm run test:*)"},
		{"Bash(git push)", "shell(git push)!", "-"},
		{"Bash(rm)", "shell(rm)!", "-"},
		{"Bash(git * main)", "shell(git:*)!", "-"},
		{"Bash(git push*)", "shell(git push:*)!", "shell(git push:*)!"},
		{"Bash(ls*)", "shell(ls:*)!", "shell(ls:*)!"},
		{"Bash(npm run* x)", "shell(npm:*)!", "-"},
		{"Bash(* --force)", "-", "-"},
		{"Read(./.env)", "read(/repo/.env) write(/repo/.env)", "read(/repo/.env)"},
		{"Read(.env)", "read(/repo/.env) read(/repo/**/.env) write(/repo/.env) write(/repo/**/.env)", "read(/repo/.env) read(/repo/**/.env)"},
		{"Read(./secrets/**)", "read(/repo/secrets/**) write(/repo/secrets/**)", "read(/repo/secrets/**)"},
		{"Read(~/.ssh/**)", "read(/home/u/.ssh/**) write(/home/u/.ssh/**)", "read(/home/u/.ssh/**)"},
		{"Read(//etc/passwd)", "read(/etc/passwd) write(/etc/passwd)", "read(/etc/passwd)"},
		{"Read(a[bc])", "-", "-"},
		{"Read", "read", "read"},
		{"Edit(/src/**)", "write(/repo/src/**)", "write(/repo/src/**)"},
		{"Write(docs/x.md)", "write(/repo/docs/x.md)", "-"},
		{"Grep", "-", "-"},
		{"WebFetch", "url", "url"},
		{"WebFetch(domain:example.com)", "url(example.com) url(http://example.com)", "url(example.com)"},
		{"WebFetch(domain:*.example.com)", "url(*.example.com) url(http://*.example.com)", "url(*.example.com)"},
		{"WebFetch(example.com)", "-", "-"},
		{"mcp__db", "mcp(db)", "mcp(db)"},
		{"mcp__db__*", "mcp(db)", "mcp(db)"},
		{"mcp__db__query", "mcp(db(query))", "mcp(db(query))"},
		{"mcp__db__get_*", "mcp(db)!", "-"},
		{"mcp__*", "mcp", "-"},
		{"Agent(explore)", "-", "-"},
		{"WebSearch", "-", "-"},
		{"Bash(git", "-", "-"},
	} {
		for list, want := range map[string]string{"deny": tc.deny, "ask": tc.deny, "allow": tc.allow} {
			s, err := peerfile.ParseSettings([]byte(`{"permissions":{"`+list+`":["`+tc.rule+`"]}}`), from)
			if err != nil {
				t.Fatal(err)
			}
			rules := map[string][]permit.Rule{"deny": s.Deny, "ask": s.Ask, "allow": s.Allow}[list]
			var texts []string
			for _, r := range rules {
				texts = append(texts, r.String())
			}
			got := strings.Join(texts, " ")
			switch {
			case got == "" && len(s.Warnings) == 1 && strings.Contains(s.Warnings[0], "has no effect"):
				got = "-"
			case len(s.Warnings) == 1:
				got += "!"
			}
			if got != want || len(s.Deny)+len(s.Ask)+len(s.Allow) != len(rules) {
				t.Errorf("%s in %s is %s, want %s; %q", tc.rule, list, got, want, s.Warnings)
			}
		}
	}
}

// Every other setting has an effect or is named.
func TestTheSettingsOfClaudeCode(t *testing.T) {
	s, err := peerfile.ParseSettings([]byte(`{
		// a comment
		"$schema": "x", "model": "opus", "env": {"PATH": "/evil", "AWS": "1"}, "apiKeyHelper": "./steal", "statusLine": {"type":"command"},
		"outputStyle": "loud", "cleanupPeriodDays": 3, "hooks": {},
		"permissions": {"defaultMode": "bypassPermissions", "additionalDirectories": ["../lib", 5], "disableBypassPermissionsMode": "disable"},
	}`), from)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"the program of apiKeyHelper is never run",
		"env is not set, because variables could make programs run or send keys elsewhere: AWS, PATH",
		"model has no effect; choose a model with -m, or in .sidestick/config.jsonc",
		"permissions.additionalDirectories: entry 2 is no text, and has no effect",
		`permissions.defaultMode: "bypassPermissions" has no effect, because a repository does not choose to be asked about less`,
		"permissions.disableBypassPermissionsMode has no effect",
		"the program of statusLine is never run",
		"these have no effect: cleanupPeriodDays, outputStyle",
	}
	if diff := cmp.Diff(want, s.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"../lib"}, s.Folders); diff != "" {
		t.Errorf("folders (-want +got):\n%s", diff)
	}
	s, err = peerfile.ParseSettings([]byte(`{"permissions":{"defaultMode":"dontAsk"}}`), from)
	if err != nil || !s.Refuses || s.Warnings != nil {
		t.Errorf("dontAsk: %+v, %v", s, err)
	}
	if _, err := peerfile.ParseSettings([]byte(`{"permissions":`), from); err == nil {
		t.Error("a file that is cut off is read")
	}
}

// FuzzFiles reads arbitrary files: nothing panics, and an allow rule is one that can be parsed again.
func FuzzFiles(f *testing.F) {
	f.Add([]byte(`{"permissions":{"allow":["Bash(a:*)","Read(x)"]},"hooks":{"PreToolUse":[{"matcher":"a","hooks":[{"command":"x"}]}]}}`))
	f.Add([]byte(`{"hooks":{"preToolUse":[{"command":"x","timeoutSec":1e-10,"shell":"zsh"}]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, _ := peerfile.ParseSettings(text, from)
		for _, r := range s.Allow {
			if _, err := permit.ParseRule(r.String()); err != nil && r.Kind != permit.MCP {
				t.Errorf("%q allows %q: %v", text, r, err)
			}
		}
		hooks, _ := peerfile.ParseHooks(text, true)
		for _, h := range hooks.List {
			if h.Text == "" || h.Limit <= 0 || h.Kind == "" {
				t.Errorf("%q has %+v", text, h)
			}
			h.Matches.Any("x")
		}
	})
}

// A change of a command counts, however its text is escaped, and what it has left as it was is no change.
func TestAChangeOfAHookIsNotLost(t *testing.T) {
	asked := peerfile.ToolInput("edit", []byte(`{"path":"a.go","old_str":"a\u003cb","new_str":"a\u003cb"}`))
	for _, tc := range []struct{ changed, want string }{
		{`{"path":"a.go","file_path":"a.go","old_str":"a<b","old_string":"a<b","new_str":"SAFE","new_string":"a<b"}`, `{"new_str":"SAFE","old_str":"a\u003cb","path":"a.go"}`},
		{`{"path":"a.go","file_path":"a.go","old_str":"a<b","old_string":"a<b","new_str":"a<b","new_string":"SAFE"}`, `{"new_str":"SAFE","old_str":"a\u003cb","path":"a.go"}`},
	} {
		if got := string(peerfile.ToolArguments("edit", []byte(tc.changed), asked)); got != tc.want {
			t.Errorf("%s becomes %s, want %s", tc.changed, got, tc.want)
		}
	}
}

// Of two time limits the same one holds each time, no limit is too short for a command to start, and a shell that nobody
// knows is named.
func TestMembersOfHooksHaveOneMeaning(t *testing.T) {
	for _, tc := range []struct {
		members, warning string
		limit            time.Duration
	}{
		{`"timeoutSec":5,"timeout":300`, `"timeout" has no effect`, 5 * time.Second},
		{`"timeoutSec":0,"timeout":300`, "", 5 * time.Minute},
		{`"timeout":1e-10`, "", time.Second},
		{`"timeoutSec":1e99`, "", 10 * time.Minute},
		{`"shell":"zsh"`, `shell is "zsh" and has no effect`, 30 * time.Second},
	} {
		for range 50 {
			h, err := peerfile.ParseHooks([]byte(`{"hooks":{"preToolUse":[{"command":"x",`+tc.members+`}]}}`), false)
			if err != nil || len(h.List) != 1 || h.List[0].Limit != tc.limit {
				t.Fatalf("%s: %+v, %v, want the limit %v", tc.members, h, err, tc.limit)
			}
			if tc.warning == "" && h.Warnings != nil || !strings.Contains(strings.Join(h.Warnings, "\n"), tc.warning) {
				t.Fatalf("%s: the warnings are %q, want %q", tc.members, h.Warnings, tc.warning)
			}
		}
	}
}

// Where the name of a server ends is not known in mcp__a__b__c, so a rule that denies means whatever it can be.
func TestARuleForAServerWithUnderscores(t *testing.T) {
	for rule, want := range map[string]string{"mcp__a__b__c": "[mcp(a(b__c)) mcp(a__b(c))]", "mcp__a__b__*": "[mcp(a) mcp(a__b)]", "mcp__a__b": "[mcp(a(b))]"} {
		s, err := peerfile.ParseSettings([]byte(`{"permissions":{"deny":["`+rule+`"]}}`), from)
		if got := fmt.Sprint(s.Deny); err != nil || got != want {
			t.Errorf("%s denies %s, %v; want %s", rule, got, err, want)
		}
	}
}
