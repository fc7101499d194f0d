package session_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/offer"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// idle is a built-in tool that does nothing.
type idle string

func (i idle) Definition() tool.Definition {
	return tool.Definition{Name: string(i), Description: "The long text.", Origin: tool.Builtin}
}

func (idle) Run(context.Context, tool.Call) tool.Result {
	return tool.Result{Outcome: tool.Success, Text: "done"}
}

func idleTools(tool.Host) session.Toolbox {
	var all []tool.Tool
	for _, name := range []string{"bash", "read_bash", "stop_bash", "view", "create", "edit", "grep", "glob", "web_fetch", "sql", "task_complete"} {
		all = append(all, idle(name))
	}
	return session.Toolbox{Tools: all}
}

// offeredIn returns the tools of the last request, and its system message.
func offeredIn(d *desk) (names, system string) {
	all := d.model.Requests()
	r := all[len(all)-1]
	return strings.Join(slices.Sorted(slices.Values(r.Tools)), " "), r.Messages[0].Content
}

const (
	eightTools = "bash create edit glob grep read_bash stop_bash view"
	allTools   = "bash create edit glob grep read_bash sql stop_bash task_complete view web_fetch"
)

// A model with a small window is offered the small set, and one whose window is large or only assumed all tools. What
// the setting and the client say wins.
func TestTheWindowChoosesTheSetOfTools(t *testing.T) {
	for name, tc := range map[string]struct {
		window  int64
		setting string
		mode    wire.Mode
		cfg     wire.Config
		want    string
		short   bool
	}{
		"small":            {window: 8192, want: eightTools, short: true},
		"just below":       {window: 32_767, want: eightTools, short: true},
		"large":            {window: 32_768, want: allTools},
		"assumed":          {want: allTools},
		"set to small":     {window: 200_000, setting: "small", want: eightTools, short: true},
		"set to full":      {window: 8192, setting: "full", want: allTools},
		"set to automatic": {window: 8192, setting: "auto", want: eightTools, short: true},
		"a client's list":  {window: 8192, cfg: wire.Config{AvailableTools: []string{"bash", "web_fetch"}}, want: "bash web_fetch", short: true},
		"a client leaves":  {window: 8192, cfg: wire.Config{ExcludedTools: []string{"edit"}}, want: "bash create glob grep read_bash stop_bash view", short: true},
		"a client's tool":  {window: 8192, cfg: wire.Config{Tools: []wire.Tool{{Name: "lookup"}}}, want: "bash create edit glob grep lookup read_bash stop_bash view", short: true},
		"autopilot":        {window: 8192, mode: "autopilot", want: "bash create edit glob grep read_bash stop_bash task_complete view", short: true},
	} {
		t.Run(name, func(t *testing.T) {
			opts := registry.Options{ToolSet: tc.setting, Nudges: -1, Provider: provider.Provider{Endpoint: model.Endpoint{BaseURL: "http://model.test/v1"}, Model: "m", ContextTokens: tc.window}}
			bubble(t, &desk{fs: vfs.NewMem(), tools: idleTools, opts: opts}, func(d *desk) {
				tc.cfg.SessionID = "s1"
				s := d.create(tc.cfg)
				if tc.mode != "" {
					if err := s.s.Settings().SetMode(context.Background(), tc.mode); err != nil {
						t.Fatal(err)
					}
				}
				s.send("hi")
				s.until("session.idle")
				names, system := offeredIn(d)
				defs, err := s.s.Metrics().Offered(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				short := slices.ContainsFunc(defs, func(c offer.Chosen) bool {
					return c.Definition.Name == "bash" && c.Definition.Description != "The long text."
				})
				if names != tc.want || short != tc.short {
					t.Errorf("offered: %s (short: %v), want %s (%v)", names, short, tc.want, tc.short)
				}
				if small := !strings.Contains(system, "code_change_instructions"); small != tc.short || !strings.Contains(system, "Do not commit or push unasked") {
					t.Errorf("the system message is short: %v, want %v, with its limits:\n%s", small, tc.short, system)
				}
				if small, err := s.s.Metrics().SmallTools(context.Background()); small != tc.short || err != nil {
					t.Errorf("the session says %v (%v)", small, err)
				}
			}, modeltest.Reply{Text: "Hello.", Repeat: true})
		})
	}
}

// A session that changes its model gets the set of the other one with its next turn.
func TestAnotherModelBringsItsSetOfTools(t *testing.T) {
	named := func(name string) (provider.Provider, bool) {
		windows := map[string]int64{"near:small": 8192, "near:large": 200_000}
		return provider.Provider{Model: name, Named: true, ContextTokens: windows[name], Endpoint: model.Endpoint{BaseURL: "http://model.test/v1", WireModel: name}}, windows[name] > 0
	}
	own, _ := named("near:small")
	bubble(t, &desk{fs: vfs.NewMem(), tools: idleTools, opts: registry.Options{Named: named, Provider: own}}, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1", Model: "near:small"})
		for _, tc := range []struct{ model, want string }{{"near:small", eightTools}, {"near:large", allTools}, {"near:small", eightTools}} {
			if err := s.s.Settings().SwitchModel(context.Background(), wire.ModelSwitch{ModelID: tc.model}); err != nil {
				t.Fatal(err)
			}
			s.send("hi")
			s.until("session.idle")
			if names, _ := offeredIn(d); names != tc.want {
				t.Errorf("%s is offered %s, want %s", tc.model, names, tc.want)
			}
		}
	}, modeltest.Reply{Text: "Hello.", Repeat: true})
}

// The window in force decides, of which the prompt and its answer are parts, and not what an answer leaves of it for the
// prompt. What `sidestick doctor` says is what a session does.
func TestTheWholeWindowChoosesTheSetOfTools(t *testing.T) {
	serves := func(tokens string) map[string]string {
		return map[string]string{"/v1/models": `{"data":[{"id":"m","max_model_len":` + tokens + `}]}`}
	}
	for name, tc := range map[string]struct {
		pages    map[string]string // of the server; Anthropic Messages reserves 32,000 tokens for each answer
		provider provider.Provider
		models   string // models.json
		setting  string
		window   int64
		small    bool
	}{
		"40,000 of the server":            {pages: serves("40000"), window: 40_000},
		"64,767 of the server":            {pages: serves("64767"), window: 64_767},
		"32,768 of the server":            {pages: serves("32768"), window: 32_768},
		"32,767 of the server":            {pages: serves("32767"), window: 32_767, small: true},
		"40,000 of models.json":           {pages: serves("8192"), models: `{"models":[{"id":"m","contextTokens":40000}]}`, window: 40_000},
		"8,192 of models.json":            {pages: serves("40000"), models: `{"models":[{"id":"m","contextTokens":8192}]}`, window: 8192, small: true},
		"a setting":                       {pages: serves("40000"), setting: "small", window: 40_000, small: true},
		"a client's prompt in its window": {provider: provider.Provider{ContextTokens: 20_000, WindowTokens: 60_000}, window: 60_000},
		"a client's prompt alone":         {provider: provider.Provider{ContextTokens: 20_000}, window: 20_000, small: true},
		"nothing is known":                {},
	} {
		t.Run(name, func(t *testing.T) {
			p := tc.provider
			p.Endpoint, p.Model, p.Lists = model.Endpoint{BaseURL: "http://127.0.0.1:8080/v1", Dialect: anthropic.Name}, "m", true
			d := &desk{fs: vfs.NewMem(), tools: idleTools, calls: &shop{pages: tc.pages}, opts: registry.Options{Home: "/home", Provider: p, ToolSet: tc.setting}}
			bubble(t, d, func(d *desk) {
				if tc.models != "" {
					if err := vfs.WriteFileAtomic(d.fs, "/home/models.json", []byte(tc.models), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				set, err := foreseen(d.started)
				if err != nil || set.Small != tc.small || set.Window != tc.window {
					t.Errorf("foreseen: %+v, %v; want a window of %d, and small: %v", set, err, tc.window, tc.small)
				}
				if _, err := d.fs.Stat("/home/windows.json"); err == nil {
					t.Error("what was only looked at is stored")
				}
				s := d.create(wire.Config{SessionID: "s1"})
				if _, err := s.s.Settings().Window(context.Background(), ""); err != nil {
					t.Fatal(err)
				}
				if small, err := s.s.Metrics().SmallTools(context.Background()); small != tc.small || err != nil {
					t.Errorf("the session says %v (%v), want %v", small, err, tc.small)
				}
			})
		})
	}
}

// foreseen is the set of tools that a new session with these options would get.
func foreseen(opts registry.Options) (provider.ToolSet, error) {
	facts := provider.ReadFacts(opts.FS, opts.Home, opts.Logger)
	defer facts.Stop()
	return provider.New(opts.Model, facts, provider.Home{Default: opts.Provider}).ForeseeToolSet(context.Background(), opts.ToolSet, "")
}

// A server that does not answer leaves the set unknown, which is no failure, with a logger or without; the log says that it
// was asked for nothing.
func TestAServerWithoutAnAnswerLeavesTheSetUnknown(t *testing.T) {
	for name, tc := range map[string]struct {
		lists bool
		want  string // what the log says
	}{
		"its list":   {true, `msg="the list of models was not read for the window of a model" server=http://127.0.0.1:8080/v1 model=m err=`},
		"its window": {false, `msg="the server was not asked for its window" server=http://127.0.0.1:8080/v1 model=m err=`},
	} {
		t.Run(name, func(t *testing.T) {
			p := provider.Provider{Model: "m", Lists: tc.lists, Endpoint: model.Endpoint{BaseURL: "http://127.0.0.1:8080/v1"}}
			bubble(t, &desk{fs: vfs.NewMem(), calls: &shop{before: time.Hour}, opts: registry.Options{Home: "/home", Provider: p}}, func(d *desk) {
				var log lines
				for _, logger := range []*slog.Logger{nil, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))} {
					opts := d.started
					opts.Logger = logger
					if set, err := foreseen(opts); err != nil || set != (provider.ToolSet{Source: "assumed"}) {
						t.Errorf("%+v, %v", set, err)
					}
				}
				if got := log.text(); strings.Count(got, tc.want) != 1 {
					t.Errorf("the log does not say %s once:\n%s", tc.want, got)
				}
			})
		})
	}
}

// A fleet needs the tool that starts sub-agents. Where the small set leaves it out, the command is refused by name, also
// before the first message, and nothing is sent; a list of tools that has it counts.
func TestAFleetIsRefusedWithTheSmallSet(t *testing.T) {
	opts := registry.Options{Provider: provider.Provider{Endpoint: model.Endpoint{BaseURL: "http://model.test/v1"}, Model: "m", ContextTokens: 8192}}
	withTask := func(tool.Host) session.Toolbox {
		return session.Toolbox{Tools: []tool.Tool{idle("bash"), idle(fact.Task)}}
	}
	bubble(t, &desk{fs: vfs.NewMem(), tools: withTask, opts: opts}, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		err := s.s.Agents().StartFleet(context.Background(), "Mend all.", nil, true)
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "the small set of tools, which does not have task") {
			t.Errorf("the fleet: %v, want a refusal that names the tool", err)
		}
		if n := len(d.model.Requests()); n != 0 {
			t.Errorf("the model was called %d times", n)
		}
		listed := d.create(wire.Config{SessionID: "s2", AvailableTools: []string{"bash", "task"}})
		if err := listed.s.Agents().StartFleet(context.Background(), "Mend all.", nil, true); err != nil {
			t.Errorf("a session that lists the tool: %v", err)
		}
	}, modeltest.Reply{Text: "Hello.", Repeat: true})
}

// What the small set leaves out of what a session has is told once, by name.
func TestWhatTheSmallSetLeavesOutIsTold(t *testing.T) {
	for name, tc := range map[string]struct {
		cfg     wire.Config
		setting string
		want    string // in the warning; "" for none
	}{
		"agents":           {cfg: wire.Config{CustomAgents: []wire.CustomAgent{{Name: "scout", Description: "finds things", Prompt: "Be quick."}}}, want: "does not have task"},
		"nothing":          {},
		"a list of tools":  {cfg: wire.Config{CustomAgents: []wire.CustomAgent{{Name: "scout", Description: "finds things", Prompt: "Be quick."}}, AvailableTools: []string{"bash", "task"}}},
		"the set is whole": {cfg: wire.Config{CustomAgents: []wire.CustomAgent{{Name: "scout", Description: "finds things", Prompt: "Be quick."}}}, setting: "full"},
	} {
		t.Run(name, func(t *testing.T) {
			opts := registry.Options{ToolSet: tc.setting, Provider: provider.Provider{Endpoint: model.Endpoint{BaseURL: "http://model.test/v1"}, Model: "m", ContextTokens: 8192}}
			bubble(t, &desk{fs: vfs.NewMem(), tools: idleTools, opts: opts}, func(d *desk) {
				tc.cfg.SessionID = "s1"
				s := d.create(tc.cfg)
				for range 2 {
					s.send("hi")
					s.until("session.idle")
				}
				var told []string
				for _, e := range s.told {
					if e.Type == "session.warning" {
						told = append(told, field(e, "message"))
					}
				}
				if tc.want == "" && told != nil || tc.want != "" && (len(told) != 1 || !strings.Contains(told[0], tc.want)) {
					t.Errorf("told: %q, want once %q", told, tc.want)
				}
			}, modeltest.Reply{Text: "Hello.", Repeat: true})
		})
	}
}

// The modes of a session work with the small set: the tools that end a plan and a task are there in their modes.
func TestThePlanCanBeEndedWithTheSmallSet(t *testing.T) {
	opts := registry.Options{Provider: provider.Provider{Endpoint: model.Endpoint{BaseURL: "http://model.test/v1"}, Model: "m", ContextTokens: 8192}}
	withPlan := func(h tool.Host) session.Toolbox {
		return session.Toolbox{Tools: append(idleTools(h).Tools, tool.ExitPlanMode(h), tool.AskUser(h))}
	}
	bubble(t, &desk{fs: vfs.NewMem(), tools: withPlan, opts: opts}, func(d *desk) {
		asks := true
		s := d.createWith(wire.Config{SessionID: "s1", RequestExitPlan: &asks, RequestUserInput: &asks}, peer{})
		for mode, want := range map[wire.Mode]string{"plan": "bash create edit exit_plan_mode glob grep read_bash stop_bash view", "interactive": eightTools} {
			if err := s.s.Settings().SetMode(context.Background(), mode); err != nil {
				t.Fatal(err)
			}
			s.send("hi")
			s.until("session.idle")
			if names, _ := offeredIn(d); names != want {
				t.Errorf("in the mode %s: %s, want %s", mode, names, want)
			}
		}
	}, modeltest.Reply{Text: "Hello.", Repeat: true})
}
