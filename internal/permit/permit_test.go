package permit_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// parse parses rules; those that begin with "deny" are deny rules.
func parse(t *testing.T, texts ...string) permit.Rules {
	t.Helper()
	r := permit.Rules{Folders: permit.Folders{Primary: "/w"}}
	for _, text := range texts {
		text, deny := strings.CutPrefix(text, "deny ")
		rule, err := permit.ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		if deny {
			r.Deny = append(r.Deny, rule)
		} else {
			r.Allow = append(r.Allow, rule)
		}
	}
	return r
}

func custom(name string) permit.Request { return permit.Request{Kind: permit.CustomTool, Tool: name} }

func file(kind permit.Kind, name string) permit.Request {
	return permit.Request{Kind: kind, Tool: "view", Path: permit.Path{Name: name, Real: name}}
}

func fetch(url string) permit.Request {
	return permit.Request{Kind: permit.URL, Tool: "web_fetch", Address: url}
}

// command returns a clear command with programs, each given as "name|word word".
func command(programs ...string) permit.Request {
	q := permit.Request{Kind: permit.Shell, Tool: "bash"}
	for _, p := range programs {
		name, words, ok := strings.Cut(p, "|")
		if !ok {
			words = name
		}
		q.Command.Programs = append(q.Command.Programs, permit.Program{Name: name, Words: strings.Fields(words)})
	}
	return q
}

// with returns a request after a change.
func with(q permit.Request, change func(*permit.Request)) permit.Request {
	change(&q)
	return q
}

var (
	trusted  = with(custom("x"), func(q *permit.Request) { q.Trusted = true })
	personal = with(custom("confirm"), func(q *permit.Request) { q.Personal, q.Trusted = true, true })
	unclear  = with(command("git status"), func(q *permit.Request) { q.Command.Unclear = "it uses a variable" })
	away     = with(command("cat|cat /etc/passwd"), func(q *permit.Request) {
		q.Command.Paths = []permit.Path{{Name: "/etc/passwd", Real: "/etc/passwd"}}
	})
	writes = with(command("echo"), func(q *permit.Request) {
		q.Command.Redirects, q.Command.Paths = true, []permit.Path{{Name: "/w/a", Real: "/w/a"}}
	})
	nowhere = with(command("echo"), func(q *permit.Request) { q.Command.Redirects = true })
	address = with(command("curl"), func(q *permit.Request) { q.Command.URLs = []string{"https://evil.example"} })
)

var decisions = []struct {
	name    string
	rules   []string
	request permit.Request
	want    permit.Verdict
}{
	{"nothing is allowed by default", nil, custom("deploy"), permit.Ask},
	{"a client may vouch for its tool", nil, trusted, permit.Allow},
	{"but a rule may deny it all the same", []string{"deny x"}, trusted, permit.Deny},
	{"what a person decides no rule allows, and no client", []string{"confirm", "shell", "read", "write"}, personal, permit.Ask},
	{"though one may deny it", []string{"deny confirm"}, personal, permit.Deny},
	{"a tool is allowed by its name", []string{"deploy"}, custom("deploy"), permit.Allow},
	{"and no other", []string{"deploy"}, custom("deploy-all"), permit.Ask},
	{"and no other kind of that name", []string{"view"}, file(permit.Read, "/w/a"), permit.Ask},
	{"a denied name is denied whatever its kind", []string{"read", "deny view"}, file(permit.Read, "/w/a"), permit.Deny},

	{"a whole kind", []string{"shell"}, command("rm"), permit.Allow},
	{"a program", []string{"shell(ls)"}, command("ls|ls -la"), permit.Allow},
	{"a subcommand", []string{"shell(git status)"}, command("git status|git status -s"), permit.Allow},
	{"and no other", []string{"shell(git status)"}, command("git push|git push"), permit.Ask},
	{"a program is not its subcommands", []string{"shell(git)"}, command("git push|git push"), permit.Ask},
	{"a prefix", []string{"shell(git:*)"}, command("git push|git push"), permit.Allow},
	{"a prefix ends at a word", []string{"shell(git:*)"}, command("github|github x"), permit.Ask},
	{"a longer prefix", []string{"shell(npm run test:*)"}, command("npm run test|npm run test -- -u"), permit.Allow},
	{"the very words", []string{"shell(go test ./...)"}, command("go test|go test ./..."), permit.Allow},
	{"and no more", []string{"shell(go test ./...)"}, command("go test|go test ./... -exec x"), permit.Ask},
	{"every program counts", []string{"shell(cat)"}, command("cat", "sh"), permit.Ask},
	{"by any of the rules", []string{"shell(cat)", "shell(wc:*)"}, command("cat", "wc"), permit.Allow},
	{"deny wins", []string{"shell(git:*)", "deny shell(git push)"}, command("git push|git push"), permit.Deny},
	{"deny of a program is deny of all it does", []string{"shell", "deny shell(git)"}, command("git push|git push"), permit.Deny},
	{"what is unclear is asked", []string{"shell", "shell(git:*)"}, unclear, permit.Ask},
	{"what names a path outside is asked", []string{"shell", "read", "write"}, away, permit.Ask},
	{"a program's rule does not write files", []string{"shell(echo)"}, writes, permit.Ask},
	{"a rule to write does", []string{"shell(echo)", "write"}, writes, permit.Allow},
	{"but not alone", []string{"write"}, writes, permit.Ask},
	{"nor where it cannot be told what is written", []string{"shell(echo)", "write"}, nowhere, permit.Ask},
	{"denied to write, also by redirection", []string{"shell", "deny write"}, writes, permit.Deny},
	{"a program's rule does not reach addresses", []string{"shell(curl)"}, address, permit.Ask},
	{"a rule for the address does", []string{"shell(curl)", "url(evil.example)"}, address, permit.Allow},

	{"reading inside", []string{"read"}, file(permit.Read, "/w/a/b"), permit.Allow},
	{"not outside", []string{"read"}, file(permit.Read, "/etc/passwd"), permit.Ask},
	{"unless it is named", []string{"read(/etc/passwd)"}, file(permit.Read, "/etc/passwd"), permit.Allow},
	{"reading is not writing", []string{"read"}, file(permit.Write, "/w/a"), permit.Ask},
	{"a pattern", []string{"write(src/**)"}, file(permit.Write, "/w/src/a/b.go"), permit.Allow},
	{"a pattern begins at the folder", []string{"write(src/**)"}, file(permit.Write, "/w/x/src/b.go"), permit.Ask},
	{"a star stays in its folder", []string{"write(src/*.go)"}, file(permit.Write, "/w/src/a/b.go"), permit.Ask},
	{"what acts is asked", []string{"write"}, file(permit.Write, "/w/.git/hooks/x"), permit.Ask},
	{"what acts in two words is asked", []string{"write"}, file(permit.Write, "/w/.GitHub/hooks/x.json"), permit.Ask},
	{"one of the words is not enough", []string{"write"}, file(permit.Write, "/w/.github/x/hooks/y"), permit.Allow},
	{"unless it is named", []string{"write(.git/**)"}, file(permit.Write, "/w/.git/hooks/x"), permit.Allow},
	{"a folder is denied with all in it", []string{"write", "deny write(src)"}, file(permit.Write, "/w/src/a/b"), permit.Deny},
	{"in any case", []string{"write", "deny write(src)"}, file(permit.Write, "/w/SRC/a"), permit.Deny},

	{"a host", []string{"url(example.com)"}, fetch("https://Example.com./a?b"), permit.Allow},
	{"not below it", []string{"url(example.com)"}, fetch("https://a.example.com"), permit.Ask},
	{"unless it says so", []string{"url(*.example.com)"}, fetch("https://a.example.com"), permit.Allow},
	{"not beside it", []string{"url(*.example.com)"}, fetch("https://badexample.com"), permit.Ask},
	{"not before it", []string{"url(example.com)"}, fetch("https://example.com@evil.example"), permit.Ask},
	{"not with a backslash", []string{"url(example.com)"}, fetch(`https://example.com\@evil.example`), permit.Ask},
	{"not on another port", []string{"url(example.com)"}, fetch("https://example.com:8443"), permit.Ask},
	{"not without encryption", []string{"url(example.com)"}, fetch("http://example.com"), permit.Ask},
	{"a path", []string{"url(https://example.com/docs)"}, fetch("https://example.com/docs/a"), permit.Allow},
	{"not beside it", []string{"url(https://example.com/docs)"}, fetch("https://example.com/docs/../admin"), permit.Ask},
	{"not a prefix of a name", []string{"url(example.com/docs)"}, fetch("https://example.com/docs2"), permit.Ask},
	{"letters that look alike", []string{"url(example.com)"}, fetch("https://ехample.com"), permit.Ask},
	{"denied with all below", []string{"url", "deny url(example.com)"}, fetch("https://a.example.com"), permit.Deny},
	{"denied also with credentials", []string{"url", "deny url(example.com)"}, fetch("https://u@example.com"), permit.Deny},
}

func TestDecide(t *testing.T) {
	for _, tc := range decisions {
		t.Run(tc.name, func(t *testing.T) {
			got := parse(t, tc.rules...).Decide(tc.request)
			if got.Verdict != tc.want || got.Why == "" {
				t.Errorf("Decide(%+v) under %q = %v (%q), want %v with a reason", tc.request, tc.rules, got.Verdict, got.Why, tc.want)
			}
			if (got.Verdict == permit.Deny || got.Verdict == permit.Allow && !tc.request.Trusted) && got.Rule.Kind == "" {
				t.Errorf("%v does not say which rule decided", got.Verdict)
			}
		})
	}
}

func TestAll(t *testing.T) {
	r := permit.Rules{All: true}
	for _, q := range []permit.Request{custom("x"), file(permit.Write, "/etc/x"), fetch("ftp://x"), {Kind: permit.Shell, Command: permit.Command{Unclear: "x", Hidden: true}}, {Kind: "new"}} {
		if got := r.Decide(q); got.Verdict != permit.Allow || !strings.Contains(got.Why, "--yolo") {
			t.Errorf("%+v: %v (%s)", q, got.Verdict, got.Why)
		}
	}
	r.Deny = []permit.Rule{{Kind: permit.Shell, Argument: "rm", From: "flag --deny-tool"}}
	if got := r.Decide(command("rm")); got.Verdict != permit.Deny || !strings.Contains(got.Why, "shell(rm) (flag --deny-tool)") {
		t.Errorf("%v (%s): deny does not win, or does not say who said it", got.Verdict, got.Why)
	}
}

func TestOptions(t *testing.T) {
	reads := command("cat")
	reads.Command.Programs[0].ReadOnly = true
	for _, tc := range []struct {
		name    string
		rules   permit.Rules
		request permit.Request
		want    permit.Verdict
	}{
		{"read-only commands are not allowed by themselves", permit.Rules{}, reads, permit.Ask},
		{"only where that is said", permit.Rules{ReadOnly: true}, reads, permit.Allow},
		{"and only those", permit.Rules{ReadOnly: true}, command("rm"), permit.Ask},
		{"reading inside", permit.Rules{ReadsInside: true, Folders: permit.Folders{Primary: "/w"}}, file(permit.Read, "/w/x"), permit.Allow},
		{"in a further folder", permit.Rules{ReadsInside: true, Folders: permit.Folders{More: []string{"/x"}}}, file(permit.Read, "/x/x"), permit.Allow},
		{"not beside it", permit.Rules{ReadsInside: true, Folders: permit.Folders{Primary: "/w"}}, file(permit.Read, "/w2"), permit.Ask},
		{"anywhere", permit.Rules{ReadsInside: true, Folders: permit.Folders{Anywhere: true}}, file(permit.Read, "/w2"), permit.Allow},
		{"nowhere if it cannot be resolved", permit.Rules{ReadsInside: true, Folders: permit.Folders{Anywhere: true}}, permit.Request{Kind: permit.Read}, permit.Ask},
		{"every address", permit.Rules{AnyURL: true}, fetch("http://x"), permit.Allow},
	} {
		if got := tc.rules.Decide(tc.request); got.Verdict != tc.want {
			t.Errorf("%s: %v (%s), want %v", tc.name, got.Verdict, got.Why, tc.want)
		}
	}
}

func TestParseRule(t *testing.T) {
	for text, want := range map[string]permit.Rule{
		"shell": {Kind: permit.Shell}, "shell(git:*)": {Kind: permit.Shell, Argument: "git:*"}, " write( src/** ) ": {Kind: permit.Write, Argument: "src/**"},
		"url(example.com)": {Kind: permit.URL, Argument: "example.com"}, "my_tool": {Kind: permit.CustomTool, Argument: "my_tool"},
		"commands(ls)": {Kind: permit.Shell, Argument: "ls"}, "read(/etc/hosts)": {Kind: permit.Read, Argument: "/etc/hosts"},
		"write(app/(shop)/**)": {Kind: permit.Write, Argument: "app/(shop)/**"}, "shell(git  status)": {Kind: permit.Shell, Argument: "git status"},
	} {
		got, err := permit.ParseRule(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
		again, err := permit.ParseRule(got.String())
		if err != nil || !again.Same(got) {
			t.Errorf("%q reads back as %v, %v", got.String(), again, err)
		}
	}
	for text, hint := range map[string]string{
		"": "empty", "shell(": "closing )", "shell()": "nothing between", "git status": "shell(git status)", "shell(*)": "write shell", "shell(gi*)": "after a colon",
		"write(../x)": "absolute", "write(a/../b)": "write b", "read(~/x)": "home", "url(a b)": "host", "url(*)": "host", "url(ftp://x)": "host",
		"server(tool)": "no kind", strings.Repeat("x", 5000): "at most",
	} {
		if got, err := permit.ParseRule(text); err == nil || !strings.Contains(err.Error(), hint) {
			t.Errorf("%.20q is %v, %v; want an error with %q", text, got, err, hint)
		}
	}
}

func FuzzParseRule(f *testing.F) {
	for _, seed := range []string{"shell(git:*)", "write(src/**)", "url(*.x)", "read(/a/[b]*)", "x", "shell(\x00)", "url(https://[::1]/)"} {
		f.Add(seed, "/w/a", "https://x/y")
	}
	f.Fuzz(func(t *testing.T, text, name, address string) {
		rule, err := permit.ParseRule(text)
		if err != nil {
			return
		}
		r := permit.Rules{Allow: []permit.Rule{rule}, Folders: permit.Folders{Primary: "/w"}}
		for _, q := range []permit.Request{file(permit.Read, name), file(permit.Write, name), fetch(address), custom(name), command(name + "|" + name)} {
			got := r.Decide(q)
			if got.Verdict == permit.Allow && q.Kind != rule.Kind {
				t.Errorf("%q allows %+v", text, q)
			}
			r2 := permit.Rules{All: true, Deny: r.Allow, Folders: r.Folders}
			if got.Verdict == permit.Allow && r2.Decide(q).Verdict == permit.Allow {
				t.Errorf("%q covers %+v when it allows and not when it denies", text, q)
			}
		}
	})
}

func TestCovering(t *testing.T) {
	r := parse(t)
	unclear := command("ls")
	unclear.Command.Unclear = "x"
	for _, tc := range []struct {
		name    string
		request permit.Request
		want    string
	}{
		{"each program once", command("git status", "ls", "git status"), "shell(git status) shell(ls)"},
		{"nothing unclear", unclear, ""},
		{"writing inside", file(permit.Write, "/w/a"), "write"},
		{"outside only the path itself", file(permit.Read, "/etc/a*b"), `read(/etc/a\*b)`},
		{"what acts only itself", file(permit.Write, "/w/.git/config"), "write(/w/.git/config)"},
		{"a host", fetch("https://a.example:8443/x?y"), "url(a.example:8443)"},
		{"without encryption", fetch("http://a.example/x"), "url(http://a.example)"},
		{"no strange address", fetch("https://u@x"), ""},
		{"a tool", custom("deploy"), "deploy"},
	} {
		var got []string
		rules := r.Covering(tc.request)
		for _, rule := range rules {
			got = append(got, rule.String())
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
		if len(rules) > 0 && r.With(rules...).Decide(tc.request).Verdict != permit.Allow {
			t.Errorf("%s: what covers it does not allow it", tc.name)
		}
	}
}

func TestWithLeavesTheOldRulesAlone(t *testing.T) {
	base := permit.Rules{Allow: make([]permit.Rule, 0, 4)}
	a, b := base.With(permit.Rule{Kind: permit.Read}), base.With(permit.Rule{Kind: permit.Write})
	if len(base.Allow) != 0 || a.Allow[0].Kind != permit.Read || b.Allow[0].Kind != permit.Write {
		t.Errorf("base %v, a %v, b %v: they share memory", base.Allow, a.Allow, b.Allow)
	}
}

// A hook cannot allow what a user has to decide, and the answer grants nothing further.
func TestWhatAPersonDecides(t *testing.T) {
	q := custom("confirm")
	q.Personal = true
	r := parse(t, "confirm")
	r.All = true
	if d := r.Decide(q); d.Verdict != permit.Ask || !d.Doubt {
		t.Errorf("Decide = %+v, want a question that only a person answers", d)
	}
	if more := r.Covering(q); more != nil {
		t.Errorf("a yes to it also allows %v", more)
	}
}
