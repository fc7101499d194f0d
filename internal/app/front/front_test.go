package front

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/entry"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/slash"
	"github.com/sidestick-dev/sidestick/internal/testing/entrytest"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/cell"
	"github.com/sidestick-dev/sidestick/internal/tui/input"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/page"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// newFront is the program behind the interface, over a session with a scripted model.
func newFront(t *testing.T, replies ...modeltest.Reply) *embedded {
	t.Helper()
	r := entrytest.Runtime(t, wiring.Adjust{Rules: wiring.AllowReading}, replies...)
	t.Cleanup(r.Peer.Leave)
	f := &front{
		desk:    desk{r.Options, r.Parts.Config, keymap.Default(), new(atomic.Int32)},
		runtime: r,
		opts: Options{Settings: &entry.Settings{}, Models: func(_ context.Context, _ *cli.Options, _ config.Config, tell func([]page.Provider)) error {
			tell([]page.Provider{{Name: "one"}, {Name: "two"}})
			tell([]page.Provider{
				{Name: "one", Asked: true, Models: []page.Model{{Name: "scripted", Selected: true}, {Name: "other"}}},
				{Name: "two", Asked: true, Models: []page.Model{{Name: "two:third"}}},
			})
			return nil
		}},
	}
	s, err := f.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.(*embedded).Client.Tail().Close)
	return s.(*embedded)
}

// run runs a command.
func (f *embedded) mustRun(t *testing.T, name, arg string) tui.Effect {
	t.Helper()
	e, err := f.run(t.Context(), name, arg)
	if err != nil {
		t.Fatalf("/%s %s: %v", name, arg, err)
	}
	if e.With != nil {
		e = e.With(cell.New(cell.Options{}))
	}
	if e.Pick != nil && e.Pick.Open != nil {
		e.Pick.Open(atOnce(t))
	}
	return e
}

// atOnce does work beside the interface at once.
func atOnce(t *testing.T) tui.Beside {
	return func(work func(context.Context) func()) {
		if then := work(t.Context()); then != nil {
			then()
		}
	}
}

// say sends a message and follows the run.
func (f *embedded) say(t *testing.T, text string) {
	t.Helper()
	if err := f.Send(t.Context(), wire.Send{Prompt: text}); err != nil {
		t.Fatal(err)
	}
	for e, err := range f.Events(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == "session.idle" {
			return
		}
	}
}

// press presses keys in the list of an effect, carries out what comes of it, and returns that.
func press(t *testing.T, p *tui.Picker, keys ...string) (e tui.Effect) {
	t.Helper()
	for _, k := range keys {
		p.List.Rows(80, 24)
		o := p.List.Key(input.Key{Name: k, Text: typedText(k)})
		if o.Action == "" {
			continue
		}
		var err error
		if e, err = p.Do(t.Context(), o); err != nil {
			t.Fatalf("%s: %v", k, err)
		}
		if e.Then != nil {
			e.Then()
		}
	}
	return e
}

func typedText(key string) string {
	if len(key) == 1 {
		return key
	}
	return ""
}

func shownList(l *list.List) string { return textOf(l.Rows(80, 40)) }

func textOf(rows []row.Row) string {
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(strings.TrimRight(r.String(), " ") + "\n")
	}
	return b.String()
}

func wantIn(t *testing.T, got string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("%q is missing in:\n%s", w, got)
		}
	}
}

// Each command that a key has exists, and so does help for every command.
func TestEveryCommandOfAKeyExists(t *testing.T) {
	f := newFront(t)
	for _, a := range keymap.Default().Actions() {
		name := strings.TrimPrefix(a.Command, "/")
		if _, ok := slash.Find(name, f.own()...); !ok && name != "" && !tui.Does(name) {
			t.Errorf("%s: nobody carries out %s", a.Name, a.Command)
		}
	}
	page := textOf(f.mustRun(t, "help", "").Read.Rows(80, 300))
	for _, c := range f.commands() {
		if wantIn(t, page, "/"+c.Name()); c.Help == "" {
			t.Errorf("/%s has no help", c.Name())
		}
	}
}

// A mistyped command is answered with the one that was meant.
func TestMistypedCommand(t *testing.T) {
	_, err := newFront(t).run(t.Context(), "modle", "")
	if err == nil || !strings.Contains(err.Error(), "did you mean /model?") {
		t.Errorf("%v", err)
	}
}

// The list of models has all providers, marks the model in use, and switches, also to another
// provider.
func TestModelIsChosen(t *testing.T) {
	f := newFront(t)
	e := f.mustRun(t, "model", "")
	wantIn(t, shownList(e.Pick.List), "✓ scripted", "  other", "two:third")
	e = press(t, e.Pick, "down", "down", "enter")
	if !e.Close || e.Text != "" {
		t.Errorf("%+v", e)
	}
	if now, _, err := f.Client.Session().Settings().Model(t.Context()); now != "two:third" || err != nil {
		t.Errorf("the model is %q, %v", now, err)
	}
	wantIn(t, shownList(f.mustRun(t, "model", "").Pick.List), "✓ two:third", "  scripted")
	all, err := f.Arguments(t.Context(), f)
	if err != nil || len(all["model"]) != 3 {
		t.Errorf("completion offers %v, %v", all["model"], err)
	}
}

// /effort offers the levels, and sets one.
func TestEffortIsChosen(t *testing.T) {
	f := newFront(t)
	e := f.mustRun(t, "effort", "")
	wantIn(t, shownList(e.Pick.List), "It is not known which of these scripted has")
	press(t, e.Pick, "h", "i", "g", "h", "enter")
	if _, now, err := f.Client.Session().Settings().Model(t.Context()); now != "high" || err != nil {
		t.Errorf("the effort is %q, %v", now, err)
	}
	wantIn(t, shownList(f.mustRun(t, "effort", "").Pick.List), "✓ high")
	wantIn(t, f.mustRun(t, "effort", "high").Text, "high already")
	if _, err := f.run(t.Context(), "effort", "much"); err == nil {
		t.Error("any effort is taken")
	}
}

// /agents chooses the main agent.
func TestAgentIsChosen(t *testing.T) {
	f := newFront(t)
	folder := filepath.Join(f.runtime.Parts.Config.Home.Value, "agents")
	if err := errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, "tester.agent.md"), []byte("---\nname: tester\ndescription: Writes tests.\n---\nYou test.\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Client.Session().Agents().Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	e := f.mustRun(t, "agents", "")
	wantIn(t, shownList(e.Pick.List), "✓ default", "explore", "tester")
	if _, err := e.Pick.Do(t.Context(), list.Outcome{Action: keymap.ListChoose, Item: list.Item{ID: "explore"}}); err == nil || !strings.Contains(err.Error(), "cannot be the main agent") {
		t.Errorf("%v", err)
	}
	press(t, e.Pick, "t", "e", "s", "t", "e", "r", "enter")
	now, err := f.Client.Session().Agents().Current(t.Context())
	if err != nil || now == nil {
		t.Fatalf("no agent leads: %v", err)
	}
	e = f.mustRun(t, "agents", "")
	wantIn(t, shownList(e.Pick.List), "✓ "+now.Name)
	press(t, e.Pick, "d", "e", "f", "a", "u", "enter")
	if now, err := f.Client.Session().Agents().Current(t.Context()); err != nil || now != nil {
		t.Errorf("%v leads, %v", now, err)
	}
}

// /rules forgets approvals when the key is pressed twice.
func TestRulesAreForgotten(t *testing.T) {
	f := newFront(t)
	e := f.mustRun(t, "rules", "")
	wantIn(t, shownList(e.Pick.List), "you are asked about everything", "reading files in these folders", "Folders")
	if first := press(t, e.Pick, "ctrl+x"); first.Text != "" {
		t.Errorf("one press does %+v", first)
	}
	second := press(t, e.Pick, "ctrl+x")
	wantIn(t, second.Text, "forgotten: the approvals of this session")
}

// /context shows what fills the window, and the largest parts.
func TestContextPage(t *testing.T) {
	f := newFront(t, modeltest.Reply{Text: "hello"})
	f.say(t, "hi")
	wantIn(t, textOf(f.mustRun(t, "context", "").Read.Rows(80, 60)), "system message", "messages of the user", "free", "The largest", "definition of ", "/compact")
}

// /show opens at the last call; /copy has the last answer.
func TestShowAndCopy(t *testing.T) {
	f := newFront(t, modeltest.Reply{ToolCalls: []modeltest.ToolCall{{ID: "c1", Name: "view", Arguments: `{"path":"/nowhere"}`}}}, modeltest.Reply{Text: strings.Repeat("line\n\n", 100)})
	f.say(t, "look")
	p := f.mustRun(t, "show", "").Read
	wantIn(t, textOf(p.Rows(80, 10)), "[1]")
	if got := f.mustRun(t, "copy", "").Copy; !strings.HasPrefix(got, "line") {
		t.Errorf("copied %q", got)
	}
	where, err := f.keep(t.Context(), "text")
	if err != nil || !strings.HasSuffix(where, keptFile) {
		t.Errorf("%s, %v", where, err)
	}
}

// Without servers, skills and tasks, each page says what the user can do.
func TestEmptyPages(t *testing.T) {
	f := newFront(t)
	for name, want := range map[string]string{"mcp": "sidestick mcp add", "tasks": "no agents and commands work"} {
		wantIn(t, shownList(f.mustRun(t, name, "").Pick.List), want)
	}
}

// Completion offers the modes, the sessions by short ids, and what else there is to choose.
func TestArguments(t *testing.T) {
	f := newFront(t, modeltest.Reply{Text: "hello"})
	f.say(t, "a title")
	all, err := f.Arguments(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mode", "effort", "resume", "diff", "allow", "rules", "reasoning"} {
		if len(all[name]) == 0 {
			t.Errorf("/%s has no choices", name)
		}
	}
}

// A command in the background is listed, its call is read in the pager, and two presses stop it.
func TestJobIsStopped(t *testing.T) {
	f := newFront(t, modeltest.Reply{ToolCalls: []modeltest.ToolCall{{ID: "c1", Name: "bash", Arguments: `{"command":"sleep 1000","description":"wait","mode":"async"}`}}}, modeltest.Reply{Text: "it runs"})
	if _, err := f.Client.Session().Permissions().SetMode(t.Context(), wire.ModeAllowAll); err != nil {
		t.Fatal(err)
	}
	f.say(t, "wait in the background")
	e := f.mustRun(t, "tasks", "")
	wantIn(t, shownList(e.Pick.List), "Commands in the background", "sleep 1000", "running")
	if read := press(t, e.Pick, "enter").Read; read == nil {
		t.Error("its call is not read")
	}
	if once := press(t, e.Pick, "ctrl+x"); once.Text != "" {
		t.Errorf("one press does %+v", once)
	}
	wantIn(t, press(t, e.Pick, "ctrl+x").Text, "stopped: sleep 1000")
	if running, err := f.Client.Session().Shell().Jobs().List(t.Context()); err != nil || len(running) > 0 {
		t.Errorf("%+v, %v", running, err)
	}
	wantIn(t, shownList(e.Pick.List), "There are no to-dos")
}

// A sub-agent in the background is stopped; one that has ended is not stopped again.
func TestTaskIsStopped(t *testing.T) {
	f := newFront(t, modeltest.Reply{
		ToolCalls: []modeltest.ToolCall{{ID: "c1", Name: "task", Arguments: `{"agent_type":"explore","description":"look around","prompt":"look","name":"looker","mode":"sync"}`}},
	}, modeltest.Reply{Text: "found it"}, modeltest.Reply{Text: "done"})
	f.say(t, "look")
	e := f.mustRun(t, "tasks", "")
	wantIn(t, shownList(e.Pick.List), "Agents", "look around", "completed", "found it")
	if _, err := e.Pick.Do(t.Context(), list.Outcome{Action: keymap.ListDelete, Item: e.Pick.List.Items()[0]}); err == nil || !strings.Contains(err.Error(), "has ended already") {
		t.Errorf("%v", err)
	}
	if _, err := f.run(t.Context(), "background", ""); err == nil {
		t.Error("something continues in the background")
	}
}

// Choosing a skill puts its command into the input box; one that is off says how to switch it on.
func TestSkillIsUsed(t *testing.T) {
	f := newFront(t)
	folder := filepath.Join(f.runtime.Parts.Config.Home.Value, "skills", "review")
	if err := errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, "SKILL.md"), []byte("---\nname: review\ndescription: Reviews.\n---\nReview it.\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Client.Session().Discovery().ReloadSkills(t.Context()); err != nil {
		t.Fatal(err)
	}
	e := f.mustRun(t, "skills", "")
	wantIn(t, shownList(e.Pick.List), "review")
	if got := press(t, e.Pick, "enter"); got.Draft != "/review " || !got.Close {
		t.Errorf("%+v", got)
	}
	press(t, e.Pick, "ctrl+t")
	wantIn(t, shownList(e.Pick.List), "off")
	if _, err := e.Pick.Do(t.Context(), list.Outcome{Action: keymap.ListChoose, Item: list.Item{ID: "review"}}); err == nil || !strings.Contains(err.Error(), "switches it on") {
		t.Errorf("%v", err)
	}
}

// A server that has failed says why; it is switched off, and started again.
func TestServerIsSwitched(t *testing.T) {
	f := newFront(t)
	set, err := session.MCP(f.Client.Session()).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Start("broken", json.RawMessage(`{"type":"http","url":"http://127.0.0.1:1/mcp"}`), false); err != nil {
		t.Fatal(err)
	}
	if err := set.Settled(t.Context(), "broken"); err == nil {
		t.Fatal("it has started")
	}
	e := f.mustRun(t, "mcp", "")
	wantIn(t, shownList(e.Pick.List), "failed", "Enter restart")
	press(t, e.Pick, "ctrl+t")
	wantIn(t, shownList(e.Pick.List), "broken  off", "Enter start")
	press(t, e.Pick, "enter")
	if err := set.Settled(t.Context(), "broken"); err == nil {
		t.Fatal("it has started")
	}
	e = f.mustRun(t, "mcp", "")
	wantIn(t, shownList(e.Pick.List), "failed")
}

// Keys in the settings that do not exist are refused with the file and the line.
func TestWrongKeysNameTheirFile(t *testing.T) {
	_, err := keysOf(config.Setting[map[string][]string]{Value: map[string][]string{"nosuch": {"ctrl+y"}}, From: "file /c.jsonc:7"})
	if err == nil || !strings.Contains(err.Error(), "file /c.jsonc:7: ") || !strings.Contains(err.Error(), "nosuch") || !strings.Contains(err.Error(), "; to correct it: sidestick config edit") {
		t.Errorf("%v", err)
	}
	if _, err := keysOf(config.Setting[map[string][]string]{}); err != nil {
		t.Error(err)
	}
}

// The first row has the version of a release, and not that of a checkout.
func TestTheNameHasTheVersionOfARelease(t *testing.T) {
	for version, want := range map[string]string{"v1.2.3": "Sidestick 1.2.3", "dev": "Sidestick", "v0.0.0-20261123013430-8b600279abcd+dirty": "Sidestick"} {
		if got := name(version); got != want {
			t.Errorf("%s: %q, want %q", version, got, want)
		}
	}
}

// The other name of a command can be completed, too: else Enter would take a name that only has its letters.
func TestOtherNamesOfCommandsAreOffered(t *testing.T) {
	var names []string
	for _, c := range offered(slash.Builtins) {
		names = append(names, c.Text)
	}
	for _, c := range slash.Builtins {
		for _, name := range c.Names {
			if !slices.Contains(names, name) {
				t.Errorf("/%s is not offered", name)
			}
		}
	}
}
