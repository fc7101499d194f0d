package permit_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// unmatchable are rules that could never match what their author means, each with a part of
// the hint.
var unmatchable = map[string]string{
	"shell(touch a | cat)":       "write one rule for each, as in shell(touch a) and shell(cat)",
	"shell(touch a; rm b)":       "shell(touch a) and shell(rm b)",
	"shell(touch a && rm b)":     "shell(touch a) and shell(rm b)",
	"shell(rm -rf x y & true)":   "shell(rm -rf x y) and shell(true)",
	"shell(touch a > b)":         "write the program alone, as in shell(touch a)",
	"shell(> b)":                 "redirections",
	"shell(touch a\nrm b)":       "not visible",
	"shell(touch\u200b)":         "not visible",
	"shell(touch:)":              "write shell(touch), or shell(touch:*)",
	"shell(touch:a)":             "write shell(touch a), or shell(touch:*)",
	"shell(git push:)":           "as in shell(git push:*)",
	"shell(touch,rm)":            "shell(touch) and shell(rm)",
	"shell(git push,pull)":       "shell(git push) and shell(git pull)",
	`shell("touch")`:             "without quotes and backslashes, as in shell(touch)",
	`shell(git commit -m 'a b')`: "as in shell(git commit -m a b)",
	`shell(\rm)`:                 "as in shell(rm)",
	"shell($X)":                  "variables",
	"shell(`x`)":                 "variables",
	"shell(echo $(rm x))":        "variables",
	"shell((rm x))":              "parentheses",
	"shell(rm {a,b})":            "braces",
	"shell(rm #x)":               "comment",
	"shell(A=b make)":            "assignment",
	"shell(~/bin/x)":             "home folder",
	"shell(-x)":                  "no program",
	"shell(naïve)":               "no program",
	"shell(to[u]ch)":             "no program",
	"shell(g* push origin)":      "after a colon",
	"shell(rm -rf *)":            "as in shell(rm -rf:*)",
	"shell(bin/)":                "folder",
	"shell(if)":                  "not a program",
	`write("a")`:                 "write the path without them",
	"write('src/a b')":           "quotes",
	`write(src/"a b"/**)`:        "quotes",
	"write([ab])":                `if it is part of a name, the rule is write(\[ab])`,
	"read(app/[id]/**)":          `the rule is read(app/\[id]/**)`,
	"write({a,b})":               `the rule is write(\{a\,b})`,
	"write(a{1..3})":             "braces",
	"write(src/**,lib/**)":       "one rule for each",
	"write(a|b)":                 "one rule for each",
	"write(!secrets/**)":         "exception",
	"write($HOME/.ssh/**)":       "variables",
	`write(src\secrets)`:         "separated by /",
	`write(src\)`:                "separated by /",
	"write(**.env)":              "whole folders",
	"write(src/a**/b)":           "whole folders",
	`url("example.com")`:         "an address is a host",
	"url(example.com,evil.com)":  "an address is a host",
	"url(domain:example.com)":    "an address is a host",
	"url(example.com:)":          "an address is a host",
	"url(.example.com)":          "an address is a host",
	"url(example..com)":          "an address is a host",
	"url(https:example.com)":     "an address is a host",
	"url(example.com/{a,b})":     "an address is a host",
	`"bash"`:                     "not the name of a tool",
	"bash,view":                  "not the name of a tool",
	"git*":                       "whole name",
	"shell:rm":                   "write shell(rm)",
	`custom-tool("deploy")`:      "not the name of a tool",
}

// Rules in a hint can be written: a user copies them.
var hinted = regexp.MustCompile(`(?:write|as in|and|or|the rule is) ((?:shell|read|write)\([^()]*\))`)

func TestARuleThatCouldNeverMatchIsRefused(t *testing.T) {
	for text, hint := range unmatchable {
		got, err := permit.ParseRule(text)
		if err == nil || !strings.Contains(err.Error(), hint) {
			t.Errorf("%q is %v, %v; want an error with %q", text, got, err, hint)
			continue
		}
		for _, found := range hinted.FindAllStringSubmatch(err.Error(), -1) {
			if _, err := permit.ParseRule(found[1]); err != nil {
				t.Errorf("the hint for %q is no rule: %v", text, err)
			}
		}
	}
}

func TestRulesThatLookOddAndMatch(t *testing.T) {
	for text, request := range map[string]permit.Request{
		`write(app/\[id]/**)`:                    file(permit.Write, "/w/app/[id]/page.tsx"),
		`write(\{a\,b})`:                         file(permit.Write, "/w/{a,b}"),
		"write({{name}}/**)":                     file(permit.Write, "/w/{{name}}/x"),
		"write(bob's/**)":                        file(permit.Write, "/w/bob's/x"),
		"write(routes/$id.tsx)":                  file(permit.Write, "/w/routes/$id.tsx"),
		"read(/)":                                file(permit.Read, "/"),
		"shell(rake db:migrate)":                 command("rake|rake db:migrate"),
		"shell(npm run test:unit)":               command("npm run test:unit|npm run test:unit"),
		"shell(cut -d, -f1)":                     command("cut|cut -d, -f1"),
		"shell(find . -exec touch {} +)":         command("find|find . -exec touch {} +"),
		"shell([)":                               command("[|[ -f x ]"),
		"shell(go  test   ./...)":                command("go test|go test ./..."),
		"url(example.com:443)":                   fetch("https://example.com/x"),
		"url(http://example.com:80)":             fetch("http://example.com/x"),
		"url(https://[::1]:8443)":                fetch("https://[::1]:8443/x"),
		"url(::1)":                               fetch("https://[::1]/x"),
		"url(example.com/a%20b)":                 fetch("https://example.com/a%20b/c"),
		"commands(git status)":                   command("git status|git status"),
		"url(https://xn--bcher-kva.example/a_b)": fetch("https://xn--bcher-kva.example/a_b"),
	} {
		if d := parse(t, text).Decide(request); d.Verdict != permit.Allow {
			t.Errorf("%s does not allow %+v: %s", text, request, d.Why)
		}
		if d := parse(t, "deny "+text).Decide(request); d.Verdict != permit.Deny {
			t.Errorf("%s does not deny %+v: %s", text, request, d.Why)
		}
	}
}

// The rule that an approval adds can be written by a user, also for names with special characters.
func TestAnApprovalOfAnOddPathIsARule(t *testing.T) {
	r := parse(t)
	for _, name := range []string{"/x/[id]/a", `/x/"a"`, "/x/it's bob's", "/x/{a,b}", "/x/a,b|c", `/x/a\b`, "/x/**a", "/x/$a/!b"} {
		rule := r.Covering(file(permit.Write, name))[0]
		again, err := permit.ParseRule(rule.String())
		if err != nil || !again.Same(rule) || r.With(again).Decide(file(permit.Write, name)).Verdict != permit.Allow {
			t.Errorf("%s is approved with %s, which reads as %s, %v", name, rule, again, err)
		}
	}
	if rules := r.Covering(command("./a:b")); rules != nil {
		t.Errorf("a program that no rule can name is approved with %v", rules)
	}
}

func TestRulesOfClientsThatCouldNeverMatch(t *testing.T) {
	for _, tc := range []struct{ kind, argument, want string }{
		{"shell", "touch a | cat", "one rule for each"},
		{"commands", "touch:", "shell(touch:*)"},
		{"write", "~/x", "home"},
		{"Shell", "rm", "no kind of rule"},
		{"url", "a b", "host"},
		{"shell", "git push", ""},
		{"write", "", ""},
		{"custom-tool", "ns:deploy", ""},
		{"mcp", "server(tool)", ""},
		{"GitHubMCP", "x", ""},
	} {
		err := permit.CheckWire([]wire.PermissionRule{{Kind: tc.kind, Argument: wire.Optional(tc.argument)}})
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s(%s): %v, want %q", tc.kind, tc.argument, err, tc.want)
		}
	}
}
