package page

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/testing/golden"
	"github.com/sidestick-dev/sidestick/internal/tui/cell"
	"github.com/sidestick-dev/sidestick/internal/tui/input"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/pager"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

var now = time.Date(2026, 11, 22, 22, 0, 0, 0, time.UTC)

func ago(d time.Duration) time.Time { return now.Add(-d) }

const unified = `--- a/parser/lex.go
+++ b/parser/lex.go
@@ -10,6 +10,7 @@ func next(s string) token {
 	if s == "" {
 		return token{}
 	}
-	return token{text: s}
+	// A token is never longer than its source.
+	return token{text: s, at: 0}
 }
`

// data is the input of all pages. clean makes it: the test of hostile text changes every string.
type data struct {
	Sessions  []Session
	Exchange  Exchange
	Providers []Provider
	Inputs    []string
	Commands  []Command
	Todos     []Todo
	Tasks     []Task
	Servers   []Server
	Agents    []Agent
	Skills    []Skill
	Summary   string
	Rules     []Rule
	Changes   []Change
	Turns     []Turn
	Preview   Preview
	Choices   []Choice
	Waiting   []Waiting
	Steering  []string
	Window    Window
	Settings  []Setting
	Files     []Instruction
}

func clean() data {
	d := data{
		Waiting: []Waiting{
			{ID: "m1", Text: "and the other test\nof the parser"}, {ID: "m2", Text: "look at [image 1: shot.png]", Attachments: 1}, {ID: "m3", Text: "/compact", Command: true},
		},
		Steering: []string{"use tabs, please"},
		Window: Window{
			Context: cell.Context{}.With(200_000, cell.ContextPart{Name: "system message", Tokens: 4100}, cell.ContextPart{Name: "results of tools", Tokens: 61_000}),
			Largest: []cell.ContextPart{{Name: "tool: bash", Tokens: 41_000}, {Name: "definition of edit", Tokens: 800}},
		},
		Sessions: []Session{
			{ID: "0b1f5a8e-5d1c-4c39-9a55-2f6c1d8f7a10", Short: "0b1f", Title: "make the parser tests pass", Folder: "~/work/parser", Modified: ago(5 * time.Minute), Messages: 12, Current: true},
			{ID: "77aa31c0-0000-4c39-9a55-2f6c1d8f7a10", Short: "77", Title: "write the release notes for 2.4 and send them to everybody on the list", Folder: "~/work/a/very/long/path/to/the/documentation", Modified: ago(30 * time.Hour), Messages: 1},
			{ID: "notes", Short: "no", Folder: "/srv/notes", Modified: ago(90 * 24 * time.Hour), Size: "12.4 kB", Text: "the migration of the database"},
		},
		Exchange: Exchange{
			Asked: "and now the docs:\nsay what changed", Calls: 3, Earlier: 11, Interrupted: "run go test ./...",
			Answer: "The docs say **what changed**:\n\n- `lex` keeps the place of a token\n- tests for it",
		},
		Providers: []Provider{
			{Name: "anthropic", Address: "api.anthropic.com", Asked: true, Models: []Model{
				{Name: "claude-opus-9", Title: "Claude Opus 9", Context: 200_000, Output: 64_000, In: "5", Out: "25", Images: true, PDFs: true, Reasoning: true, Efforts: []string{"low", "high"}, Selected: true},
				{Name: "claude-haiku-8", Title: "Claude Haiku 8", Context: 200_000, In: "1", Out: "5", Images: true, Ends: "2027-02-01", Note: "Use claude-haiku-9 after that."},
			}},
			{Name: "openrouter", Address: "openrouter.ai", Asked: true, Err: "openrouter.ai: 401 Unauthorized: the key was refused (sidestick keys set openrouter stores another one)"},
			{Name: "ollama", Address: "localhost:11434", Local: true, Asked: true, Models: []Model{{Name: "ollama/qwen4:8b", Context: 40_960}}},
			{Name: "vllm", Asked: true},
			{Name: "groq"},
		},
		Inputs: []string{"make the tests pass", "a long text\nof three lines\nwith a list", "!git status"},
		Commands: []Command{
			{Name: "/help", Help: "list the commands"}, {Name: "/model [NAME]", Help: "show the model, or switch to another"}, {Name: "/review", Help: "review the changes of a branch", Source: "project"},
		},
		Todos: []Todo{{"1", "find the failing tests", "done"}, {"2", "mend the lexer", "in_progress"}, {"3", "write the docs", "pending"}, {"4", "ask about the licence", "blocked"}},
		Tasks: []Task{
			{ID: "agent-1", Title: "find all callers of lex", Kind: "explore", Model: "claude-haiku-8", State: "running", Started: ago(72 * time.Second), Output: "I have found *four* callers so far."},
			{ID: "agent-2", Title: "review the change", Kind: "code-review", State: "failed", Started: ago(10 * time.Minute), Ended: ago(8 * time.Minute), Err: "the model has refused"},
			{ID: "shell-1", Job: true, Title: "npm run dev -- --port 3000\n", State: "running", Started: ago(2 * time.Hour), Output: "listening on 3000\nGET / 200\nGET /favicon.ico 404\n"},
		},
	}
	d.settings()
	return d
}

// settings fills in what a session has.
func (d *data) settings() {
	d.Servers = []Server{
		{Name: "github", State: "connected", Source: "user", Instructions: "Search before you create issues.", Tools: []Tool{{"create_issue", "Create an issue."}, {"search", "Search issues, pull requests and code of the repositories that the user may read."}}},
		{Name: "jira", State: "needs-auth", Source: "project"},
		{Name: "postgres", State: "failed", Source: "project", Err: "the program ended at once: exit status 1: connection refused"},
		{Name: "slow", State: "pending"},
		{Name: "old", State: "disabled", Source: "plugin"},
	}
	d.Agents = []Agent{
		{ID: "explore", Name: "explore", About: "Answers questions about the code.", Source: "builtin", Models: []string{"claude-haiku-8"}, Tools: []string{"grep", "glob", "view"}},
		{ID: "writer", Name: "writer", About: "Writes documentation.", Source: "project", Path: ".github/agents/writer.agent.md", Current: true},
	}
	d.Skills = []Skill{{Name: "release", About: "How a release is made.", Source: "project", Command: "/release", Path: ".github/skills/release/SKILL.md", On: true}, {Name: "pdf", About: "Reads PDFs.", Source: "personal"}}
	d.Summary = "You are asked about everything that no rule allows, except for commands that stay in the sandbox."
	d.Rules = []Rule{
		{"Folders", "/home/ada/parser", "the working directory"},
		{"Allowed", "shell(git log:*)", "you, in this session"},
		{"Allowed", "reading files in these folders", ""},
		{"Denied", "shell(git push)", "--deny-tool"},
	}
	d.Settings = []Setting{
		{Key: "model", Value: "http://localhost:8000/v1#qwen4-coder", From: "~/.config/sidestick/config.jsonc:3", About: "The model of runs and sessions that name none.\n  flags     --model", Set: true},
		{Key: "effort", Value: "–", From: "not set"},
		{Key: "vim", Value: "false", From: "default", About: "Whether the input box has the keys of vi."},
	}
	d.Files = []Instruction{
		{ID: "/home/ada/parser/AGENTS.md", Name: "AGENTS.md", When: "with every message", Text: "Write tests first.\n"},
		{ID: "/home/ada/parser/.github/instructions/go.instructions.md", Name: ".github/instructions/go.instructions.md", When: "when the model works on **/*.go", Text: "Wrap errors."},
		{ID: "/home/ada/.local/share/sidestick/copilot-instructions.md", Name: "~/.local/share/sidestick/copilot-instructions.md", When: "not there yet", New: true},
	}
	d.Changes = []Change{
		{Path: "parser/lex.go", Kind: "modified", Diff: unified},
		{Path: "logo.png", Kind: "added", Left: "it is not text"},
		{Path: "docs/new.md", Kind: "added", Diff: "--- /dev/null\n+++ b/docs/new.md\n@@ -0,0 +1,2 @@\n+# New\n+text\n"},
	}
	d.Turns = []Turn{
		{Number: 1, Text: "make the tests pass", At: ago(40 * time.Minute), Files: 3, Restorable: true, Added: 20, Removed: 4},
		{Number: 2, Text: "what does lex do?", At: ago(20 * time.Minute), Files: 1, Restorable: true},
		{Number: 3, Text: "and now the docs:\nsay what changed", At: ago(5 * time.Minute), Files: 1, Restorable: true, Added: 12},
	}
	d.Preview = Preview{Files: []Restored{{Path: "/home/ada/parser/lex.go", Change: "modified", Added: 2, Removed: 1}, {Path: "/home/ada/parser/docs/new.md", Change: "created", Added: 12}, {Path: "/home/ada/parser/notes.md", Change: "created", Added: 2, Kept: "it was changed since by something else"}}}
	d.Choices = []Choice{{"interactive", "interactive", "the agent asks before it acts", false}, {"plan", "plan", "the agent plans first", true}}
}

// screen is a page of either kind.
type screen interface {
	Rows(width, height int) []row.Row
}

// pages makes all pages of data.
func pages(d data) map[string]screen {
	keys := keymap.Default()
	sessions := Sessions(keys, func(id string) (Exchange, bool) { return d.Exchange, true })
	sessions.View = "this folder"
	sessions.Set(SessionItems(d.Sessions, now))
	models := Models(keys)
	SetModels(models, d.Providers)
	tasks := Tasks(keys)
	SetTasks(tasks, d.Todos, d.Tasks, now)
	servers := Servers(keys)
	SetServers(servers, d.Servers)
	skills := Skills(keys)
	SetSkills(skills, d.Skills)
	queue := Queue(keys)
	SetQueue(queue, d.Waiting, d.Steering, true)
	review := NewReview("with the last commit", d.Changes, Commands{Note: "2 shell commands that may have changed files have run in this session", Texts: []string{"make", "rm a"}})
	all := map[string]screen{
		"sessions": sessions, "models": models, "tasks": tasks, "mcp": servers, "skills": skills, "queue": queue,
		"settings": Settings(keys, "A change counts from the next start of sidestick on.", d.Settings), "instructions": Instructions(keys, d.Files),
		"context": pager.New("context", d.Window, keys),
		"history": History(keys, d.Inputs), "help": Help(keys, d.Commands), "agents": Agents(keys, d.Agents), "rules": Rules(keys, d.Summary, d.Rules),
		"diff": review.List(keys), "diff-pager": review.Pager(keys, ""), "choices": Choices(keys, "Mode", d.Choices),
		"rewind": Rewind(keys, d.Turns, "Files that shell commands change are not restored.", func(int) (Preview, bool) { return d.Preview, true }, now),
	}
	if len(d.Turns) > 0 {
		all["rewind-choices"] = RewindChoices(keys, d.Turns[0], d.Preview)
	}
	return all
}

func text(s screen, width, height int) string {
	var b strings.Builder
	for _, r := range s.Rows(width, height) {
		b.WriteString(strings.TrimRight(r.String(), " ") + "\n")
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	for name, s := range pages(clean()) {
		var b strings.Builder
		for _, width := range []int{40, 80, 200} {
			fmt.Fprintf(&b, "== %d\n%s", width, text(s, width, 24))
		}
		golden.Text(t, name, b.String())
	}
}

// A page without data says what the user can do, and takes every key.
func TestEmptyPages(t *testing.T) {
	for name, s := range pages(data{}) {
		if l, ok := s.(*list.List); ok && name != "choices" {
			if got := text(l, 80, 24); !strings.Contains(got, strings.Fields(l.Empty)[0]+" "+strings.Fields(l.Empty)[1]) {
				t.Errorf("%s:\n%s", name, got)
			}
		}
		press(s)
	}
}

// press presses many keys.
func press(s screen) {
	for _, k := range []string{"down", "up", "pgdown", "alt+down", "end", "enter", "tab", "ctrl+t", "ctrl+x", "ctrl+x", "ctrl+r", "a", "enter", "esc", "G", "right", "left", "n"} {
		switch s := s.(type) {
		case *list.List:
			s.Key(input.Key{Name: k})
		case *pager.Pager:
			s.Key(input.Key{Name: k})
		}
		s.Rows(80, 24)
	}
}

// Whatever the texts are, no character of a page controls the terminal or turns text around, and no
// row is wider than the screen.
func TestHostileText(t *testing.T) {
	d := clean()
	poison(reflect.ValueOf(&d).Elem())
	for name, s := range pages(d) {
		for _, size := range [][2]int{{200, 40}, {80, 24}, {30, 10}, {10, 4}} {
			for _, r := range s.Rows(size[0], size[1]) {
				if i := strings.IndexFunc(r.String(), func(c rune) bool { return c < ' ' || c == '\u202e' || 0x7f <= c && c < 0xa0 }); i >= 0 {
					t.Errorf("%s: %q", name, r.String())
				}
				if r.Width() > size[0] {
					t.Errorf("%s at %d: a row of %d columns: %q", name, size[0], r.Width(), r.String())
				}
			}
		}
		press(s)
	}
}

// poison puts escape sequences and other controls into every string.
func poison(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("a\x1b[2J\x1b]0;b\x07" + v.String() + "\u202e\r\n\t\x9b1mc 漢字")
	case reflect.Slice:
		for i := range v.Len() {
			poison(v.Index(i))
		}
	case reflect.Struct:
		if _, ok := v.Interface().(time.Time); ok {
			return
		}
		for i := range v.NumField() {
			poison(v.Field(i))
		}
	}
}

// The pages answer keys with what the caller is to do.
func TestPagesAnswer(t *testing.T) {
	all := pages(clean())
	for _, tc := range []struct{ page, keys, action, id, text string }{
		{"sessions", "down enter", keymap.ListChoose, "77aa31c0-0000-4c39-9a55-2f6c1d8f7a10", ""},
		{"sessions", "ctrl+x ctrl+x", keymap.ListDelete, "77aa31c0-0000-4c39-9a55-2f6c1d8f7a10", ""},
		{"sessions", "ctrl+r x enter", keymap.ListRename, "77aa31c0-0000-4c39-9a55-2f6c1d8f7a10", "write the release notes for 2.4 and send them to everybody on the listx"},
		{"sessions", "tab", keymap.ListView, "77aa31c0-0000-4c39-9a55-2f6c1d8f7a10", ""},
		{"sessions", "m i g r a t i o n enter", keymap.ListChoose, "notes", ""},
		{"models", "enter", keymap.ListChoose, "claude-opus-9", ""},
		{"models", "q w e n enter", keymap.ListChoose, "ollama/qwen4:8b", ""},
		{"history", "ctrl+r enter", keymap.ListChoose, "1", ""},
		{"mcp", "down ctrl+t", keymap.ListToggle, "jira", ""},
		{"tasks", "end ctrl+x ctrl+x", keymap.ListDelete, "shell-1", ""},
		{"rules", "ctrl+x ctrl+x", keymap.ListDelete, "0", ""},
		{"rewind", "enter", keymap.ListChoose, "3", ""},
		{"settings", "v i m enter", keymap.ListChoose, "vim", ""},
		{"instructions", "end enter", keymap.ListChoose, "/home/ada/.local/share/sidestick/copilot-instructions.md", ""},
		{"choices", "enter", keymap.ListChoose, "plan", ""},
	} {
		l := all[tc.page].(*list.List)
		var o list.Outcome
		for k := range strings.FieldsSeq(tc.keys) {
			key := input.Key{Name: k}
			if len(k) == 1 {
				key.Text = k
			}
			o = l.Key(key)
		}
		if o.Action != tc.action || o.Item.ID != tc.id || o.Text != tc.text {
			t.Errorf("%s, %s: %+v", tc.page, tc.keys, o)
		}
	}
}

// The preview of an entry can be read in the pager, where the list has no room for it.
func TestWhole(t *testing.T) {
	l := pages(clean())["models"].(*list.List)
	o := l.Key(input.Key{Name: "ctrl+o"})
	if o.Action != keymap.ListWhole {
		t.Fatalf("%+v", o)
	}
	if got := text(Whole(l, o.Item), 40, 12); !strings.Contains(got, "Claude Opus 9") || !strings.Contains(got, "q close") {
		t.Errorf("the pager:\n%s", got)
	}
}

// The pager of a review opens at a file, and goes from file to file; a long diff is made in parts.
func TestReviewPager(t *testing.T) {
	changes := clean().Changes
	var long strings.Builder
	long.WriteString("--- a/long\n+++ b/long\n@@ -0,0 +1,5000 @@\n")
	for i := range 5000 {
		fmt.Fprintf(&long, "+line %d\n", i)
	}
	changes = append(changes, Change{Path: "long", Kind: "added", Diff: long.String()})
	r := NewReview("", changes, Commands{})
	p := r.Pager(nil, "docs/new.md")
	if got := text(p, 80, 10); !strings.Contains(got, "docs/new.md") || !strings.Contains(got, "# New") {
		t.Errorf("at the file:\n%s", got)
	}
	p.Key(input.Key{Name: "right"})
	if got := text(p, 80, 10); !strings.Contains(got, "long") {
		t.Errorf("at the next file:\n%s", got)
	}
	if s := newDiffs(r); s.Len() < 100 || len(s.Rows(s.Len()-1, 80)) > blockLines {
		t.Errorf("%d blocks", s.Len())
	}
	p.Key(input.Key{Name: "G"})
	if got := text(p, 80, 10); !strings.Contains(got, "line 4999") {
		t.Errorf("at the end:\n%s", got)
	}
}

// A rewind names the commands whose changes it does not undo: in its preview, and before the user
// chooses.
func TestARewindNamesTheCommands(t *testing.T) {
	p := Preview{Commands: Commands{Note: "4 shell commands have run since then; their changes are not undone", Texts: []string{"make", "rm a", "rm b", "rm c"}, More: "… and 1 more"}}
	text := ""
	for _, r := range rewindPreview(Turn{Number: 1, Text: "go"}, 1, p, true, 60) {
		text += r.String() + "\n"
	}
	for _, want := range []string{"No file is restored.", "their changes are not\nundone:", "  $ make\n", "  $ rm c\n", "  … and 1 more\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the preview has no %q:\n%s", want, text)
		}
	}
	if got, want := fileList(p), "No file is restored. "+p.Commands.Note+": make; rm a; rm b; …"; got != want {
		t.Errorf("before the choice: %q, want %q", got, want)
	}
}
