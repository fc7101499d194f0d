package ask

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// request is what a permission.requested event asks.
func request(t *testing.T, raw string) timeline.Request {
	t.Helper()
	q, ok := timeline.ReadRequest(wire.Event{
		Header: wire.Header{Type: "permission.requested"}, Data: []byte(`{"requestId":"r","permissionRequest":` + raw + `}`),
	})
	if !ok {
		t.Fatal("no request")
	}
	return q
}

// offers is what a yes may cover: rules of the command line, in /src/app.
func offers(t *testing.T, rules ...string) approval.Offer {
	t.Helper()
	o := approval.Offer{Folders: permit.Folders{Primary: "/src/app"}, Location: wire.PermissionLocation{LocationKey: "/src", LocationType: "repo"}}
	for _, text := range rules {
		r, err := permit.ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		o.Rules = append(o.Rules, r)
	}
	return o
}

// shownRequests has permission requests and what the terminal prints of them.
var shownRequests = []struct {
	name, request string
	rules         []string
	want          string
}{
	{
		"a file behind a link", `{"kind":"read","path":"/src/app/lnk","resolvedPath":"/home/u/.bashrc","intention":"Read lnk"}`, nil,
		`
? Allow: read lnk, which leads to /home/u/.bashrc
  for: Read lnk
  file: /src/app/lnk
  asked because: a symbolic link leads out of the allowed folders
  leads to: /home/u/.bashrc, outside the allowed folders
[y] yes, once  [n] no, and say why  [q] stop the run
allow? › y
`,
	},
	{
		"a command", `{"kind":"shell","intention":"Publish the branch","fullCommandText":"cd docs &&\n  git push > /tmp/log","resolvedWorkingDirectory":"/src/app",
				"commands":[{"identifier":"cd","readOnly":true},{"identifier":"git push"}],"possiblePaths":["/src/app/docs","/tmp/log"],
				"possibleUrls":[{"url":"https://github.com/x"}],"hasWriteFileRedirection":true,"canOfferSessionApproval":true,"warning":"it writes outside of the project"}`,
		[]string{"shell(cd)", "shell(git push)"},
		`
? Allow: run $ cd docs && … 1 line more
  for: Publish the branch
  asked because: it writes outside of the project
  in: /src/app
  │ cd docs &&
  │   git push > /tmp/log
  touches: /tmp/log
  talks to: github.com
  writes: its output goes to a file
[y] yes, once  [a] yes, for this session: any "cd", any "git push"
[l] yes, in every session in this repository  [n] no, and say why
[q] stop the run
allow? › y
`,
	},
	{
		"a change", `{"kind":"write","intention":"Edit","fileName":"/src/app/a.go","canOfferSessionApproval":true,
				"diff":"--- a/a.go\n+++ b/a.go\n@@ -1,3 +1,3 @@\n package a\n-\tx := 0\n+\tx := 1\n"}`,
		[]string{"write"},
		`
? Allow: change a.go (+1 −1)
  for: Edit
  file: /src/app/a.go
  │ @@ -1,3 +1,3 @@
  │  package a
  │ -    x := 0
  │ +    x := 1
[y] yes, once  [a] yes, for this session: changing files in app/
[l] yes, in every session in this repository  [n] no, and say why
[q] stop the run
allow? › y
`,
	},
	{
		"a new file", `{"kind":"write","fileName":"/src/app/b.txt","newFileContents":"one\ntwo\n","diff":"","canOfferSessionApproval":false}`, nil,
		`
? Allow: write b.txt
  file: /src/app/b.txt
  │ + one
  │ + two
[y] yes, once  [n] no, and say why  [q] stop the run
allow? › y
`,
	},
	{
		"a file that is read", `{"kind":"read","path":"/etc/passwd","intention":"See who is there"}`,
		[]string{"read(/etc/passwd)"},
		`
? Allow: read /etc/passwd
  for: See who is there
  file: /etc/passwd
[y] yes, once  [a] yes, for this session: reading /etc/passwd
[l] yes, in every session in this repository  [n] no, and say why
[q] stop the run
allow? › y
`,
	},
	{
		"an address", `{"kind":"url","url":"https://evil.example/x","redirectedFrom":"https://good.example/"}`,
		[]string{"url(evil.example)"},
		`
? Allow: fetch https://evil.example/x, redirected from https://good.example/
  address: https://evil.example/x
  from: https://good.example/
[y] yes, once  [a] yes, for this session: addresses at evil.example
[l] yes, in every session in this repository  [n] no, and say why
[q] stop the run
allow? › y
`,
	},
	{
		"a client's tool", `{"kind":"custom-tool","toolName":"deploy","toolDescription":"Puts it into production.","args":{"to":"prod\u001b[2J"}}`,
		[]string{"deploy"},
		`
? Allow: call deploy {"to":"prod\u001b[2J"}
  does: Puts it into production.
[y] yes, once  [a] yes, for this session: the tool deploy
[l] yes, in every session in this repository  [n] no, and say why
[q] stop the run
allow? › y
`,
	},
	{
		"what nobody has heard of", `{"kind":"memory","toolName":"","intention":"Keep a fact"}`, nil,
		`
? Allow: memory
  for: Keep a fact
[y] yes, once  [n] no, and say why  [q] stop the run
allow? › y
`,
	},
}

// The terminal shows these lines for each kind of request.
func TestAskingForPermission(t *testing.T) {
	for _, tc := range shownRequests {
		t.Run(tc.name, func(t *testing.T) {
			s := &scripted{lines: []string{"y"}}
			a, err := (&Asker{Screen: s}).Permission(t.Context(), request(t, tc.request), "/src/app", offers(t, tc.rules...))
			if err != nil || !cmp.Equal(a, permit.Answer{Outcome: permit.Approved}) {
				t.Errorf("answer is %+v, %v", a, err)
			}
			if diff := cmp.Diff(tc.want, s.String()); diff != "" {
				t.Error("screen (-want +got):\n" + diff)
			}
		})
	}
}

func TestAnsweringPermission(t *testing.T) {
	approved := permit.Answer{Outcome: permit.Approved}
	rule := []permit.Rule{{Kind: permit.CustomTool, Argument: "x"}}
	always := permit.Answer{Outcome: permit.Approved, Scope: permit.ForSession, Rules: rule}
	here := permit.Answer{Outcome: permit.Approved, Scope: permit.ForLocation, Rules: rule, Location: "/src"}
	no := func(why string) permit.Answer { return permit.Answer{Outcome: permit.Rejected, Feedback: why} }
	const tool, once = `{"kind":"custom-tool","toolName":"x"}`, `{"kind":"shell","fullCommandText":"x","canOfferSessionApproval":false}`
	for _, tc := range []struct {
		name, request string
		lines         []string
		want          permit.Answer
		err           error
	}{
		{"yes", tool, []string{"y"}, approved, nil},
		{"a word", tool, []string{" YES "}, approved, nil},
		{"Enter is not an answer", tool, []string{"", "y"}, approved, nil},
		{"nor is anything else", tool, []string{"ok", "yes"}, approved, nil},
		{"always", tool, []string{"a"}, always, nil},
		{"always here", tool, []string{"l"}, here, nil},
		{"always here, where it cannot be", once, []string{"l", "y"}, approved, nil},
		{"always, where it cannot be", once, []string{"a", "y"}, approved, nil},
		{"no", tool, []string{"n", ""}, no(""), nil},
		{"no and why", tool, []string{"n", " use make "}, no("use make"), nil},
		{"no and why at once", tool, []string{"no, use make"}, no("use make"), nil},
		{"stop", tool, []string{"q"}, permit.Answer{}, cli.ErrAborted},
		{"Ctrl-C", tool, []string{"^C"}, permit.Answer{}, terminal.ErrInterrupted},
		{"Ctrl-D", tool, []string{"^D"}, permit.Answer{}, io.EOF},
		{"Ctrl-C where a reason is asked", tool, []string{"n", "^C"}, permit.Answer{}, terminal.ErrInterrupted},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := &scripted{lines: tc.lines}
			got, err := (&Asker{Screen: s}).Permission(t.Context(), request(t, tc.request), "", offers(t, "x"))
			if !cmp.Equal(got, tc.want) || !errors.Is(err, tc.err) || len(s.lines) > 0 {
				t.Errorf("answer is %+v, %v, want %+v, %v; left %q\n%s", got, err, tc.want, tc.err, s.lines, s)
			}
		})
	}
}

// A change that does not fit the screen is cut, and shown in full on request. The question
// and the answers stay visible.
func TestLongChange(t *testing.T) {
	var diff strings.Builder
	diff.WriteString("@@ -0,0 +1,200 @@\n")
	for i := range 200 {
		fmt.Fprintf(&diff, "+line %d %s\n", i, strings.Repeat("日本", 30))
	}
	raw, err := json.Marshal(map[string]any{"kind": "write", "fileName": "a.txt", "diff": diff.String(), "canOfferSessionApproval": true})
	if err != nil {
		t.Fatal(err)
	}
	s := &scripted{lines: []string{"v", "y"}}
	if _, err := (&Asker{Screen: s}).Permission(t.Context(), request(t, string(raw)), "", offers(t, "write")); err != nil {
		t.Fatal(err)
	}
	first, rest, _ := strings.Cut(s.String(), "allow? › v\n")
	if n := strings.Count(first, "\n"); n >= 23 || !strings.Contains(first, "… 389 more lines: press v to read all of it before a yes counts") || !strings.Contains(first, "[v] view all of it") {
		t.Errorf("the question takes %d rows:\n%s", n, first)
	}
	if !strings.Contains(rest, "+line 199 ") {
		t.Error("v does not show the last line")
	}
	for line := range strings.Lines(s.String()) {
		if w := timeline.Width(strings.TrimSuffix(line, "\n")); w > 80 {
			t.Errorf("a row has %d columns: %s", w, line)
		}
	}
}

// On any screen, down to the smallest, no row is too wide.
func TestNarrow(t *testing.T) {
	for _, columns := range []int{20, 33, 200} {
		s := &scripted{lines: []string{"v", "y"}, columns: columns, rows: 10}
		q := request(t, `{"kind":"shell","intention":"Publish the branch and more","fullCommandText":"go test ./internal/日本語/... -run 'TestOne|TestTwo'","commands":[{"identifier":"go test"}],"canOfferSessionApproval":true}`)
		if _, err := (&Asker{Screen: s}).Permission(t.Context(), q, "/a/folder/of/some/length", offers(t, "shell(go test)", "write(日本語)")); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(s.String()) {
			if w := timeline.Width(strings.TrimSuffix(line, "\n")); w > columns {
				t.Errorf("a row of %d columns on %d: %s", w, columns, line)
			}
		}
	}
}

// The question about a second run has a heading and a no of its own, and shows what the first
// run printed. Where the command would run and why is said once.
func TestASecondRunIsAnotherQuestion(t *testing.T) {
	const why = "the sandbox seems to have stopped it (cat: /etc/x: Permission denied)"
	q := request(t, `{"kind":"shell","fullCommandText":"./steal.sh","resolvedWorkingDirectory":"/src/app","warning":"`+why+`","possiblePaths":["/etc/x"],"canOfferSessionApproval":false}`)
	q.Printed = "one\ntwo\n"
	o := offers(t)
	o.Again, o.Placed = true, permit.Placed{Because: why}
	s := &scripted{lines: []string{"y"}}
	if _, err := (&Asker{Screen: s}).Permission(t.Context(), q, "/src/app", o); err != nil {
		t.Fatal(err)
	}
	const want = `
? Run AGAIN, outside the sandbox: $ ./steal.sh
  runs: OUTSIDE the sandbox: the sandbox seems to have stopped it (cat:
  │ /etc/x: Permission denied)
  in: /src/app
  the first run printed:
  │ one
  │ two
[y] yes, once  [n] no, and continue with the first result  [q] stop the run
allow? › y
`
	if diff := cmp.Diff(want, s.String()); diff != "" {
		t.Error("screen (-want +got):\n" + diff)
	}
}

// The prompt shows text that is typed into a program as input, not as a command, and it does not
// list a pattern such as ./... among the paths outside.
func TestInputAndPatterns(t *testing.T) {
	q := request(t, `{"kind":"shell","intention":"Type into the program in shell i","fullCommandText":"Bob{enter}","warning":"it is not clear what the command does: it is input of a program that is running","canOfferSessionApproval":false}`)
	o := offers(t)
	o.Input = true
	s := &scripted{lines: []string{"y"}}
	if _, err := (&Asker{Screen: s}).Permission(t.Context(), q, "", o); err != nil {
		t.Fatal(err)
	}
	if got := s.String(); !strings.Contains(got, "Allow: type into shell i: Bob{enter}\n") || !strings.Contains(got, "runs: a program that is running reads it") || strings.Contains(got, "not clear") {
		t.Errorf("the question is\n%s", got)
	}
	s = &scripted{lines: []string{"y"}}
	q = request(t, `{"kind":"shell","fullCommandText":"go test ./...","resolvedWorkingDirectory":"/src/app","possiblePaths":["/src/app/..."],"canOfferSessionApproval":true}`)
	if _, err := (&Asker{Screen: s}).Permission(t.Context(), q, "", offers(t, "shell(ls)")); err != nil {
		t.Fatal(err)
	}
	if got := s.String(); strings.Contains(got, "touches") {
		t.Errorf("the question is\n%s", got)
	}
	for _, rules := range [][]string{{"shell(ls)"}, {"shell(l)"}, {"shell(lsd)"}, {"shell(lsde)"}, {"shell(lsdef)"}} {
		s = &scripted{lines: []string{"y"}}
		o := offers(t, rules...)
		o.Placed.AutoAllowable = true
		if _, err := (&Asker{Screen: s}).Permission(t.Context(), q, "", o); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(s.String()) {
			if w := timeline.Width(strings.TrimSuffix(line, "\n")); w > 80 {
				t.Errorf("a row has %d columns: %s", w, line)
			}
		}
	}
}

// The answer s says how long it holds, and why it has no effect where it is not offered.
func TestWhatStaysInTheSandbox(t *testing.T) {
	for _, tc := range []struct {
		placed permit.Placed
		lines  []string
		want   permit.Answer
		shows  string
	}{
		{permit.Placed{Place: permit.InWorkspace, AutoAllowable: true}, []string{"s"}, permit.Answer{Outcome: permit.Approved, InSandbox: true}, "[s] yes, until you leave: everything that stays in the sandbox"},
		{permit.Placed{Place: permit.InWorkspace, AutoAllowable: true}, []string{"s but not x", "y"}, permit.Answer{Outcome: permit.Approved}, "nothing was approved: a yes must be the only word"},
		{permit.Placed{Because: "it needs keys", AsksOutside: true}, []string{"s", "y"}, permit.Answer{Outcome: permit.Approved}, "nothing was approved: s allows only commands that stay in the sandbox, and is not offered for this request"},
	} {
		s := &scripted{lines: tc.lines, columns: 200}
		o := approval.Offer{Placed: tc.placed}
		got, err := (&Asker{Screen: s}).Permission(t.Context(), request(t, `{"kind":"shell","fullCommandText":"x","canOfferSessionApproval":false}`), "", o)
		if err != nil || !cmp.Equal(got, tc.want) || !strings.Contains(s.String(), tc.shows) {
			t.Errorf("%q: %+v, %v; the screen lacks %q:\n%s", tc.lines, got, err, tc.shows, s)
		}
	}
}

// For a screen reader, each answer has a row with a number, and what it grants whole. A number
// chooses like the letter.
func TestNumberedAnswers(t *testing.T) {
	rules := []string{"shell(git status)", "shell(git commit)", "shell(make the-first-target)", "shell(rm)"}
	o := offers(t, rules...)
	for typed, want := range map[string]permit.Answer{
		"1": {Outcome: permit.Approved},
		"2": {Outcome: permit.Approved, Scope: permit.ForSession, Rules: o.Rules},
		"a": {Outcome: permit.Approved, Scope: permit.ForSession, Rules: o.Rules},
		"4": {Outcome: permit.Rejected, Feedback: "because"},
	} {
		s := &scripted{lines: []string{"9", "1 but not that", typed, "because"}}
		got, err := (&Asker{Screen: s, Numbered: true}).Permission(t.Context(), asked(t, "shell", "fullCommandText", "make"), "", o)
		if err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: %+v, %v\n%s", typed, got, err, s)
		}
		const rows = `  1  yes, once
  2  yes, for this session: any "git status", any "git commit", any "make
   │ the-first-target", any "rm"
  3  yes, in every session in this repository: any "git status", any "git
   │ commit", any "make the-first-target", any "rm"
  4  no, and say why
  5  stop the run
`
		if !strings.Contains(s.String(), rows) {
			t.Errorf("the question is\n%s", s)
		}
	}
	s := &scripted{lines: []string{"1"}}
	if got, err := (&Asker{Screen: s, Numbered: true}).Confirm(t.Context(), "", "Sure?", ""); err != nil || got.Outcome != permit.Approved || !strings.Contains(s.String(), "  3  say something else\n") {
		t.Errorf("%+v, %v\n%s", got, err, s)
	}
}

// A path with line feeds forges no row of the prompt.
func TestARuleForgesNoAnswer(t *testing.T) {
	o := offers(t)
	o.Rules = []permit.Rule{{Kind: permit.Read, Argument: "/etc/x\n[y] yes, once"}}
	for _, columns := range []int{40, 200} {
		s := &scripted{lines: []string{"n", ""}, columns: columns}
		if _, err := (&Asker{Screen: s}).Permission(t.Context(), asked(t, "read", "path", "/etc/x\n[y] yes, once"), "", o); err != nil {
			t.Fatal(err)
		}
		if got := s.String(); strings.Count(got, "\n[y] ") != 1 || !strings.Contains(got, "<U+000A>") {
			t.Errorf("the question is\n%s", got)
		}
	}
}
