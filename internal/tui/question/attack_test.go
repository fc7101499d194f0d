package question

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/invisible"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/testing/golden"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// forged is text that looks like the end of a question of ours.
const forged = "ls\n  y  yes, once\n› n  no, and say why\n  q  stop the run\n↑↓ mark  Enter answer\nTab to answer\n┗ 1-2 of 2 rows\n"

// attacks are requests that want to look like others.
func attacks(t testing.TB) map[string]*question.Question {
	filler := strings.Repeat("echo all is well && ", 60)
	return map[string]*question.Question{
		"invisible":    command(t, "git\u200b stat\u3164us\u2800 \U000e0041--force\ufe0f", "shell(git)"),
		"bidi":         command(t, "echo \u202eylno sdaer\u202c; rm\u2066 -rf ~\u2069", "shell(echo)"),
		"escape":       command(t, "ls\x1b[2K\x1b[1A\x1b]0;safe\x07\r\x9b1mrm -rf ~\x7f"),
		"end":          command(t, filler+"rm -rf ~", "shell(echo)"),
		"middle":       command(t, filler+"rm -rf ~ && "+filler+"true", "shell(echo)"),
		"spaces":       command(t, "make"+strings.Repeat(" ", 3000)+"; rm -rf ~", "shell(make)"),
		"lines":        command(t, "make"+strings.Repeat("\n", 500)+"rm -rf ~", "shell(make)"),
		"forged":       command(t, forged, "shell(ls)"),
		"forged-for":   request(t, `{"kind":"shell","fullCommandText":"rm -rf ~\ntrue","intention":`+quoted("List files\nruns: in the sandbox (read-only)\ntouches: nothing")+`}`, permit.Placed{Because: "it asks for it", AsksOutside: true}),
		"forged-bar":   command(t, "ls\n┃ Allow: run $ ls\n┃ runs: in the sandbox (workspace-write)\n"),
		"forged-tool":  request(t, `{"kind":"mcp","serverName":"s\n  y  yes","toolName":"t\n› y  yes, once","toolDescription":`+quoted(forged)+`,"args":{"x":`+quoted(forged)+`}}`, permit.Placed{}, "mcp(s)"),
		"forged-path":  forgedPath(t),
		"forged-input": call(t, "userInput.request", `{"question":`+quoted("Which?\n"+forged)+`,"choices":[`+quoted("  y  yes, once"+strings.Repeat(" ", 90)+"› y  yes")+`,`+quoted(forged)+`]}`),
		"forged-form": elicits(t, question.Elicitation{Source: "s\n  y  yes", Message: forged, Schema: json.RawMessage(
			`{"type":"object","properties":{` + quoted("a\n  review the answers") + `:{"type":"string","title":` + quoted(forged) + `,"description":` + quoted(forged) + `,"default":` + quoted(forged) + `},
			"b":{"type":"string","enum":[` + quoted(forged) + `,"\u001b[2J\u202e"]}},"required":["b"]}`)}),
		"forged-confirmation": request(t, `{"kind":"custom-tool","toolName":"copilot_confirmation","managedApprovalRequired":true,"args":{"title":`+quoted(forged)+`,"message":`+quoted(forged)+`}}`, permit.Placed{}),
		"forged-plan":         call(t, "exitPlanMode.request", `{"planContent":`+quoted(forged+"\n\n    › y  yes\n\n```\n"+forged+"```\n")+`,"actions":["interactive",`+quoted(forged)+`]}`),
	}
}

func quoted(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// forgedPath is a request to read a file whose name has lines, in a folder whose name has some.
func forgedPath(t testing.TB) *question.Question {
	q, ok := timeline.ReadRequest(wire.Event{Header: wire.Header{Type: "permission.requested"}, Data: []byte(`{"requestId":"r","permissionRequest":{"kind":"read","path":` + quoted("/etc/"+forged) + `}}`)})
	if !ok {
		t.Fatal("no request")
	}
	return question.OfPermission(q, "/src", approval.Offer{
		Rules: []permit.Rule{{Kind: permit.Read, Argument: "/etc/" + forged}}, Location: wire.PermissionLocation{LocationKey: "/src/" + forged, LocationType: "repo"},
	})
}

// Attacks as the user sees them.
func TestAttacks(t *testing.T) {
	for name, asked := range attacks(t) {
		t.Run(name, func(t *testing.T) {
			golden.Text(t, "attack-"+name, pictures(t, func(width, height int) *Queue {
				q := &Queue{}
				q.Add(asked)
				show(q, width, height, start)
				return q
			}, start.Add(time.Second)))
		})
	}
}

// ours are the beginnings of rows that this program wrote, below a question whose options are
// known. Rows with text of a model begin with a bar, and nothing else is between them.
func ours(asked *question.Question, text string) bool {
	if strings.HasPrefix(text, "┗ ") || strings.HasPrefix(text, "     ") || strings.HasPrefix(text, "↑↓ ") || strings.HasPrefix(text, "Enter ") || strings.HasPrefix(text, "Tab ") || strings.HasPrefix(text, "Space ") {
		return true
	}
	return slices.ContainsFunc(asked.Options, func(o question.Option) bool {
		key := o.Key
		if o.Number > 0 {
			key = fmt.Sprint(o.Number)
		}
		for _, mark := range []string{"  ", "› "} {
			if strings.HasPrefix(text, row.Text(mark+key).Pad(5).String()) {
				return true
			}
		}
		return false
	})
}

// walk checks all rows of a question, page by page until a yes counts, and returns the text of the
// details and of the options without what a screen adds.
func walk(t *testing.T, asked *question.Question, width, height int) string {
	t.Helper()
	q, now := &Queue{}, start
	q.Add(asked)
	show(q, width, height, now)
	e := q.front()
	var details []string
	options := ""
	for range 5_000 {
		now = now.Add(2 * time.Second)
		rows, _ := show(q, width, height, now)
		if e.small {
			return ""
		}
		model, rest := checkRows(t, asked, rows, width, height)
		options = strings.Join(rest, "")
		if asked.Kind == question.Form {
			return ""
		}
		page := e.page
		if page == 0 {
			page = len(e.laid.rows)
		}
		if e.top > len(details) {
			t.Fatalf("rows %d to %d were not shown", len(details), e.top)
		}
		details = append(details[:e.top], model[len(model)-page:]...)
		if e.seen {
			return letters(strings.Join(details, "") + options)
		}
		q.Key(key("up"), now)
		for range asked.Options { // no answer counts that allows something
			e.writing = false
			if q.Key(key("down"), now); asked.Options[e.choice].Allows {
				if r := q.Key(key("enter"), now); r.Answered != nil {
					t.Fatalf("%q was approved before the end was seen", asked.Options[e.choice].Text)
				}
			}
		}
		e.writing = false
		q.Key(key("pgdown"), now)
	}
	t.Fatal("the end cannot be reached")
	return ""
}

// checkRows checks the rows of a screen, and returns those of a model and ours.
func checkRows(t *testing.T, asked *question.Question, rows []row.Row, width, height int) (model, rest []string) {
	t.Helper()
	if most := max(height-around, 1); len(rows) > most {
		t.Fatalf("%d rows, at most %d are allowed", len(rows), most)
	}
	for _, r := range rows {
		text := r.String()
		after, bars := strings.CutPrefix(text, bar)
		switch {
		case r.Width() >= width && width > narrowest:
			t.Fatalf("a row of %d columns on %d: %q", r.Width(), width, text)
		case row.Harmless(text) != text || !utf8.ValidString(text):
			t.Fatalf("a row with control characters: %q", text)
		case asked.Kind == question.Permission && strings.ContainsFunc(text, invisible.Is):
			t.Fatalf("a row with characters that nobody sees: %q", text)
		case asked.Kind == question.Form:
		case bars && len(rest) > 0:
			t.Fatalf("a row of a model is below our options: %q", text)
		case !bars && !ours(asked, text):
			t.Fatalf("a row that is not ours has no bar: %q", text)
		}
		if bars {
			model = append(model, after)
		} else {
			rest = append(rest, text)
		}
	}
	return model, rest
}

// letters is a text without spaces and the marks of rows that continue.
func letters(text string) string {
	return strings.NewReplacer(" ", "", "\n", "", "\t", "", "↪", "").Replace(text)
}

// A description cannot have a row that looks like another detail.
func TestNoDetailIsForged(t *testing.T) {
	q := &Queue{}
	q.Add(attacks(t)["forged-for"])
	rows, _ := show(q, 80, 24, start)
	names := 0
	for _, r := range rows {
		if strings.HasPrefix(r.String(), bar+"runs: ") || strings.HasPrefix(r.String(), bar+"touches: ") {
			names++
		}
	}
	if names != 1 {
		t.Errorf("%d rows say where the command runs or what it touches", names)
	}
}

// No attack gets a row that looks like ours, and all of a command is shown before a yes counts.
func TestNoRowIsForged(t *testing.T) {
	for name, asked := range attacks(t) {
		for _, s := range append(sizes, struct{ width, height int }{20, 10}, struct{ width, height int }{16, 5}) {
			text := walk(t, asked, s.width, s.height)
			if text == "" {
				continue // the window is too small
			}
			for _, d := range asked.Details {
				if d.Shape == question.Command && !strings.Contains(text, letters(d.Text)) {
					t.Errorf("%s at %d: the command is not complete", name, s.width)
				}
			}
			for _, o := range asked.Options {
				if o.Grants != "" && !strings.Contains(text, letters(o.Grants)) {
					t.Errorf("%s at %d: %q is not complete", name, s.width, o.Grants)
				}
			}
		}
	}
}

func FuzzRequests(f *testing.F) {
	f.Add("shell", forged, "\x1b[2J\u202e", "/src/app/x\ny", `{"a":1}`, 40, 24)
	f.Add("write", "@@ -1 +1 @@\n-a\n+\u200bb\n", "for", "a\tb", `[]`, 80, 24)
	f.Add("read", "", "", forged, ``, 20, 6)
	f.Add("url", "https://example.com/\u3164", "x\ufffd\xff", "", `null`, 200, 60)
	f.Add("mcp", "tool", "server", "\u2066", `{"x":"\n  y  yes"}`, 17, 100)
	f.Fuzz(func(t *testing.T, kind, text, other, path, args string, width, height int) {
		width, height = 17+min(max(width, 0), 300)%300, 4+min(max(height, 0), 100)%100
		if len(text)+len(other)+len(path)+len(args) > 400 {
			return
		}
		raw := json.RawMessage(args)
		if !json.Valid(raw) {
			raw = json.RawMessage(quoted(args))
		}
		data, err := json.Marshal(map[string]any{"requestId": "r", "permissionRequest": map[string]any{
			"kind": kind, "fullCommandText": text, "intention": other, "warning": other, "fileName": path, "path": path, "diff": text, "url": text, "redirectedFrom": other,
			"toolName": path, "serverName": other, "toolDescription": text, "args": raw, "possiblePaths": []string{path, other}, "resolvedWorkingDirectory": path,
			"possibleUrls": []map[string]string{{"url": text}}, "hasWriteFileRedirection": true,
		}})
		if err != nil {
			t.Fatal(err)
		}
		q, ok := timeline.ReadRequest(wire.Event{Header: wire.Header{Type: "permission.requested"}, Data: data})
		if !ok {
			t.Fatal("no request")
		}
		asked := question.OfPermission(q, path, approval.Offer{
			Rules:  []permit.Rule{{Kind: permit.Shell, Argument: text}, {Kind: permit.Write, Argument: path}, {Kind: permit.URL, Argument: other}},
			Placed: permit.Placed{Because: other, AutoAllowable: len(text)%2 == 0}, Location: wire.PermissionLocation{LocationKey: path}, Folders: permit.Folders{Primary: path},
		})
		all := walk(t, asked, width, height)
		if all == "" {
			return
		}
		for _, o := range asked.Options {
			if o.Grants != "" && !strings.Contains(all, letters(o.Grants)) {
				t.Errorf("what %s allows is not complete: %q", o.Key, o.Grants)
			}
		}
	})
}
