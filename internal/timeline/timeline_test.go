package timeline_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/sidestick-dev/sidestick/internal/testing/golden"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The rows of a log in which everything happens once, some of it as other runtimes
// write it, are those in the golden file. The console checks its own fold against
// the same two files.
func TestRowsOfALog(t *testing.T) {
	var b strings.Builder
	var r timeline.Reader
	for _, e := range events(t, "testdata/log.jsonl") {
		row := r.Add(e)
		fmt.Fprintf(&b, "%-10s %q", row.Kind, row.Title)
		if row.Body != "" && row.Body != row.Title {
			fmt.Fprintf(&b, " | %q", row.Body)
		}
		if row.Of != "" {
			fmt.Fprintf(&b, " of %q", row.Of)
		}
		if row.Failed {
			b.WriteString(" failed")
		}
		if row.Agent != "" {
			b.WriteString(" by " + row.Agent)
		}
		b.WriteString("\n")
	}
	golden.File(t, "testdata/rows.txt", b.String())
	if r.Cwd() != "/src/other" {
		t.Errorf("the session works in %q, want the last that was said", r.Cwd())
	}
}

// A change of the effort alone does not repeat the model.
func TestAnotherEffortIsNoOtherModel(t *testing.T) {
	for text, want := range map[string]string{
		`"newModel":"m","previousModel":"m","reasoningEffort":"high"`: "effort is now high",
		`"newModel":"n","previousModel":"m","reasoningEffort":"high"`: "model is now n", `"newModel":"m"`: "model is now m",
	} {
		e, err := wire.ParseEvent([]byte(`{"id":"1","timestamp":"2026-11-29T00:00:00Z","parentId":null,"type":"session.model_change","data":{` + text + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		if row := new(timeline.Reader).Add(e); row.Title != want {
			t.Errorf("%s: %q, want %q", text, row.Title, want)
		}
	}
}

func events(t *testing.T, file string) []wire.Event {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []wire.Event
	for lines := bufio.NewScanner(f); lines.Scan(); {
		e, err := wire.ParseEvent([]byte(lines.Text()))
		if err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		list = append(list, e)
	}
	return list
}

// The table of event types says which of them people see, and the readers make the rows.
func TestShownEventsHaveRows(t *testing.T) {
	for name, kind := range wire.Kinds {
		row := new(timeline.Reader).Add(wire.Event{Header: wire.Header{Type: name}, Data: []byte("{}")})
		if has := row.Kind != timeline.Other; has != kind.Shown() {
			t.Errorf("%s: wire.Kinds says shown %v, and its row is %q", name, kind.Shown(), row.Kind)
		}
	}
}

func TestTitle(t *testing.T) {
	for _, tc := range []struct{ tool, arguments, want string }{
		{"bash", `{"command":"go test ./...","description":"Run tests"}`, "$ go test ./..."},
		{"bash", `{"command":"\ncat <<E\nx\nE\n"}`, "$ cat <<E … 2 lines more"},
		{"bash", `{"command":"echo \u001b[2J\u202e"}`, "$ echo <U+001B>[2J<U+202E>"},
		{"bash", `{}`, "bash"},
		{"view", `{"path":"/src/app/a.go","view_range":[10,40]}`, "view a.go 10-40"},
		{"view", `{"path":"/src/app/a.go","view_range":[10,-1]}`, "view a.go 10-"},
		{"view", `{"path":"/etc/hosts"}`, "view /etc/hosts"},
		{"view", `{"path":"/src/app"}`, "view ."},
		{"view", `{"path":"/src/application"}`, "view /src/application"},
		{"create", `{"path":"/src/app/b.go","file_text":"a\nb"}`, "create b.go (2 lines)"},
		{"create", `{"path":"b.go","file_text":""}`, "create b.go (0 lines)"},
		{"edit", `{"path":"/src/app/b.go","old_str":"a\nb\nc\n","new_str":"a\nx\ny\nc\n"}`, "edit b.go (+2 −1)"},
		{"edit", `{"path":"b.go","old_str":"a","new_str":""}`, "edit b.go (+0 −1)"},
		{"grep", `{"pattern":"foo","path":"/src/app/src"}`, "grep foo in src"},
		{"grep", `{"pattern":"foo","glob":"*.go"}`, "grep foo in *.go"},
		{"glob", `{"pattern":"**/*.go"}`, "glob **/*.go"},
		{"web_fetch", `{"url":"https://a.b/c"}`, "fetch https://a.b/c"},
		{"task", `{"name":"scout","description":"look around"}`, "agent scout: look around"},
		{"write_bash", `{"shellId":"1","input":"y\n"}`, "type into shell 1: y"},
		{"deploy", `{"to":"prod"}`, `deploy {"to":"prod"}`},
		{"deploy", `{}`, "deploy"},
		{"deploy", ``, "deploy"},
		{"view", `{"path":7,"view_range":"all"}`, `view {"path":7,"view_range":"all"}`},
		{"bash", `not JSON`, "bash not JSON"},
	} {
		if got := timeline.Title(tc.tool, json.RawMessage(tc.arguments), "/src/app"); got != tc.want {
			t.Errorf("Title(%s, %s) = %q, want %q", tc.tool, tc.arguments, got, tc.want)
		}
	}
}

// A permission request is described in one line.
func TestRequest(t *testing.T) {
	for _, tc := range []struct{ request, title string }{
		{
			`{"kind":"shell","fullCommandText":"git push && git push -f | cat","commands":[{"identifier":"git push"},{"identifier":"git push"},{"identifier":"cat"}],"canOfferSessionApproval":true}`,
			"run $ git push && git push -f | cat",
		},
		{`{"kind":"shell","fullCommandText":"$X","commands":[],"canOfferSessionApproval":false}`, "run $ $X"},
		{`{"kind":"shell","fullCommandText":"$X","commands":[{"identifier":"x"}],"canOfferSessionApproval":false}`, "run $ $X"},
		{
			`{"kind":"write","fileName":"/src/app/a.go","diff":"--- a\n+++ b\n@@ -1 +1,2 @@\n-x\n--- y\n+z\n","canOfferSessionApproval":true}`,
			"change a.go (+1 −2)",
		},
		{`{"kind":"write","fileName":"/src/app/a.go","newFileContents":"x"}`, "write a.go"},
		{`{"kind":"read","path":"/etc/passwd"}`, "read /etc/passwd"},
		{`{"kind":"read","path":"/src/app/x"}`, "read x"},
		{`{"kind":"url","url":"https://go.dev/x","redirectedFrom":"http://a.b"}`, "fetch https://go.dev/x, redirected from http://a.b"},
		{`{"kind":"url","url":"::"}`, "fetch ::"},
		{`{"kind":"url","url":"https://аpple.example/x"}`, "fetch https://аpple.example/x (leads to xn--pple-43d.example)"},
		{`{"kind":"mcp","serverName":"db","toolName":"query","args":{"q":1}}`, `call query of the MCP server db {"q":1}`},
		{`{"kind":"custom-tool","toolName":"deploy"}`, "call deploy"},
		{`{"kind":"memory","fact":"x"}`, "memory"},
		{`"nothing"`, "call"},
	} {
		e := wire.Event{Header: wire.Header{Type: "permission.requested"}, Data: []byte(`{"requestId":"r","permissionRequest":` + tc.request + `}`)}
		q, ok := timeline.ReadRequest(e)
		if title := strings.TrimSpace(q.Title("/src/app")); !ok || title != tc.title {
			t.Errorf("%s is %q, want %q", tc.request, title, tc.title)
		}
	}
	if _, ok := timeline.ReadRequest(wire.Event{Header: wire.Header{Type: "permission.requested"}, Data: []byte(`{}`)}); ok {
		t.Error("a question without an id can be answered")
	}
}

// Calls that never end do not take more and more memory.
func TestCallsAreBounded(t *testing.T) {
	var r timeline.Reader
	start := func(id string) timeline.Row {
		return r.Add(wire.Event{
			Header: wire.Header{Type: "tool.execution_start"}, Data: []byte(`{"toolName":"x","toolCallId":"` + id + `"}`),
		})
	}
	end := func(id string) timeline.Row {
		return r.Add(wire.Event{
			Header: wire.Header{Type: "tool.execution_complete"}, Data: []byte(`{"success":true,"toolCallId":"` + id + `"}`),
		})
	}
	for i := range 2000 {
		start(fmt.Sprint(i))
	}
	if first, last := end("0").Of, end("1999").Of; first != "x" || last != "" {
		t.Errorf("the first result is of %q, the last of %q, want one that is known and one that is not", first, last)
	}
	if again := end("0").Of; again != "" {
		t.Errorf("a call that has ended ends again, of %q", again)
	}
}

// For every event, the row is one harmless line and a harmless text.
func FuzzRow(f *testing.F) {
	for _, e := range []string{
		`tool.execution_complete {"success":true,"result":{"content":"a\nb\r\n<exited with exit code 1>"}}`,
		`permission.requested {"permissionRequest":{"kind":"shell","fullCommandText":"\u001b]0;x\u0007","commands":[{}]}}`,
		`session.error {"message":"\u202e\u0000"}`, `user.message []`, `assistant.message {"content":7}`, `x`,
		`subagent.failed {"error":{"message":"x"}}`, `subagent.failed {"error":"x"}`, `permission.completed {"result":"x"}`,
	} {
		f.Add(e)
	}
	f.Fuzz(func(t *testing.T, s string) {
		kind, data, _ := strings.Cut(s, " ")
		e := wire.Event{Header: wire.Header{Type: wire.EventType(kind)}, Data: []byte(data)}
		var r timeline.Reader
		row := r.Add(e)
		if row.Kind == "" || strings.ContainsAny(row.Title, "\n\t") {
			t.Errorf("%q gives a row of kind %q, title %q", s, row.Kind, row.Title)
		}
		text := row.Title
		if row.Kind != timeline.Piece {
			text += row.Body
		}
		if i := strings.IndexFunc(text, func(c rune) bool { return c != '\n' && c != '\t' && unicode.IsControl(c) || c == '\u202e' }); i >= 0 {
			t.Errorf("%q gives a row that steers the terminal: %q", s, text[i:])
		}
		timeline.Brief(e)
		q, _ := timeline.ReadRequest(e)
		if strings.ContainsAny(q.Title(""), "\n\x1b") {
			t.Errorf("%q asks for %q", s, q.Title(""))
		}
	})
}

// Text for a machine, such as a command, is shown with all its characters; an answer keeps the invisible
// ones that its script and its emoji need.
func TestExposed(t *testing.T) {
	const odd = "a\u3164b\u00a0c\u200bd"
	const want = "a<U+3164>b<U+00A0>c<U+200B>d"
	var r timeline.Reader
	row := func(kind wire.EventType, data string) timeline.Row {
		return r.Add(wire.Event{Header: wire.Header{Type: kind}, Data: []byte(data)})
	}
	for _, title := range []string{
		row("tool.execution_start", `{"toolCallId":"1","toolName":"bash","arguments":{"command":"`+odd+`"}}`).Title,
		row("tool.execution_complete", `{"toolCallId":"1","success":true,"result":{"content":""}}`).Of,
		row("tool.execution_start", `{"toolCallId":"2","toolName":"edit","arguments":{"path":"`+odd+`","old_str":"x","new_str":"y"}}`).Title,
		row("tool.execution_complete", `{"toolCallId":"2","success":true,"result":{"content":"","detailedContent":"+`+odd+`"}}`).Body,
		row("tool.execution_start", `{"toolCallId":"3","toolName":"web_fetch","arguments":{"url":"`+odd+`"}}`).Title,
		row("permission.requested", `{"requestId":"1","permissionRequest":{"kind":"shell","fullCommandText":"`+odd+`"}}`).Title,
		row("session.context_changed", `{"cwd":"/`+odd+`"}`).Title,
	} {
		if !strings.Contains(title, want) {
			t.Errorf("%q, want %s in it", title, want)
		}
	}
	const answer = "\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f"
	if got := row("assistant.message", `{"content":"`+answer+`"}`).Body; got != answer {
		t.Errorf("an answer is %q", got)
	}
}
