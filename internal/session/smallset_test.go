package session_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/modeltest"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/tool"
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
			opts := session.Options{ToolSet: tc.setting, Nudges: -1, Provider: session.Provider{Endpoint: model.Endpoint{BaseURL: "http://model.test/v1"}, Model: "m", ContextTokens: tc.window}}
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
				short := slices.ContainsFunc(defs, func(d tool.Definition) bool { return d.Name == "bash" && d.Description != "The long text." })
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
	named := func(name string) (session.Provider, bool) {
		windows := map[string]int64{"near:small": 8192, "near:large": 200_000}
		return session.Provider{Model: name, Named: true, ContextTokens: windows[name], Endpoint: model.Endpoint{BaseURL: "http://model.test/v1", WireModel: name}}, windows[name] > 0
	}
	own, _ := named("near:small")
	bubble(t, &desk{fs: vfs.NewMem(), tools: idleTools, opts: session.Options{Named: named, Provider: own}}, func(d *desk) {
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
