package session_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// provided gives a session the skills of a client.
type provided struct {
	list []wire.ProvidedSkill
	text string
	err  error
	// before is called before each answer, if it is set. Its error is that of the client.
	before func(ctx context.Context, method string) error
}

func (p *provided) List(ctx context.Context, _ string) ([]wire.ProvidedSkill, error) {
	return p.list, p.answer(ctx, "list")
}

func (p *provided) Read(ctx context.Context, _, _ string) (string, error) {
	return p.text, p.answer(ctx, "read")
}

func (p *provided) answer(ctx context.Context, method string) error {
	if p.before != nil {
		if err := p.before(ctx, method); err != nil {
			return err
		}
	}
	return p.err
}

// The model gets the skills of a client beside those of files, and loads them by the same tool. A warning names once each
// skill that is left out.
func TestAClientGivesSkills(t *testing.T) {
	skilled(t, "create", func(d *desk) {
		from := &provided{
			list: []wire.ProvidedSkill{
				{Name: "greet", Description: "Greets."},
				{Name: "Brew", Description: "Brews in another way."},
				{Name: "GREET"},
				{Name: "bad name"},
				{Name: "near", Directory: "not/absolute"},
				{Name: "secret", DisableModelInvocation: true},
			},
			text: "---\ndescription: Greets.\nallowed-tools: bash\n---\nSay hello.\n",
		}
		cfg := withSkills()
		cfg.SkillProvider = from
		s := d.create(cfg)
		if got, want := states(t, s.s), "+greet +Brew +near +secret +mend"; got != want {
			t.Errorf("the skills are %s, want %s", got, want)
		}
		s.send("go")
		s.until("session.idle")
		s.send("again")
		s.until("session.idle")
		invoked := last(t, s.told, "skill.invoked")
		if field(invoked, "source") != "sdk" || field(invoked, "path") != "" || field(invoked, "content") != from.text || field(invoked, "allowedTools") != "null" {
			t.Errorf("skill.invoked is %s", invoked.Data)
		}
		talk := d.conversation()
		if !strings.Contains(talk, "<skill-context name=\"greet\">\nSay hello.") || strings.Contains(talk, "Base directory") {
			t.Errorf("the model reads\n%s", talk)
		}
		var warned []string
		for _, e := range s.told {
			if e.Type == "session.warning" {
				warned = append(warned, field(e, "warningType")+": "+field(e, "message"))
			}
		}
		want := `skill_provider: The folder of the client's skill near has no effect: it is not an absolute path. The client lists the skill "GREET" twice, and the second one is left out. ` +
			`A skill of the client is left out: "bad name" is not a name for a skill: letters, digits and -_.: only, at most 64. /skills/brew/SKILL.md is left out: the client has a skill "brew", too.
skill_allowed_tools: The allowed tools of the skill greet are asked about like others: only the skills of the user allow tools, and those of folders that the user trusts.`
		if got := strings.Join(warned, "\n"); got != want {
			t.Errorf("the warnings are\n%s\nwant\n%s", got, want)
		}

		from.err = errors.New("the client has left")
		s.send("and now")
		s.until("session.idle")
		if m := last(t, s.told, "session.warning"); field(m, "message") != "The skills of the client are not there: the client has left." {
			t.Errorf("the warning is %s", m.Data)
		}
		if !strings.Contains(d.conversation(), `there is no skill "greet"`) {
			t.Errorf("the model reads\n%s", d.conversation())
		}
		if got, want := states(t, s.s), "+brew +mend"; got != want {
			t.Errorf("the skills are %s, want %s", got, want)
		}
	}, loads("greet"), modeltest.Reply{Text: "ok"}, modeltest.Reply{Text: "ok"}, loads("greet"), modeltest.Reply{Text: "ok"})
}

// A skill that the client cannot give is an answer for the model, which says why.
func TestASkillThatTheClientCannotGive(t *testing.T) {
	skilled(t, "create", func(d *desk) {
		from := &provided{list: []wire.ProvidedSkill{{Name: "greet"}}, text: "---\nname: other\n---\nSay hello.\n"}
		cfg := withSkills()
		cfg.SkillProvider = from
		s := d.create(cfg)
		s.send("go")
		s.until("session.idle")
		if n := count(s.told, "skill.invoked"); n != 0 || !strings.Contains(d.conversation(), `the skill "greet" cannot be read: the client has sent one with another name`) {
			t.Errorf("%d skill.invoked:\n%s", n, d.conversation())
		}
	}, loads("greet"), modeltest.Reply{Text: "ok"})
}

// warnings are those of a type that the clients got.
func (s *seat) warnings(kind string) string {
	var all []string
	for _, e := range s.rest() {
		if e.Type == "session.warning" && field(e, "warningType") == kind {
			all = append(all, field(e, "message"))
		}
	}
	return strings.Join(all, "\n")
}

// An agent works without a skill that the client cannot give, or that does not exist, and a warning says so once. So does
// a sub-agent.
func TestAnAgentWithoutItsSkills(t *testing.T) {
	delegates(t, func(d *desk) {
		from := &provided{list: []wire.ProvidedSkill{{Name: "safety"}, {Name: "later"}}, text: "Be careful."}
		from.before = func(_ context.Context, method string) error {
			if method == "read" {
				return errors.New("no network")
			}
			return nil
		}
		cfg := tools()
		cfg.SkillProvider, cfg.DisabledSkills, cfg.Agent = from, []string{"later"}, "ops"
		cfg.CustomAgents = []wire.CustomAgent{
			{Name: "ops", Prompt: "Operate.", Skills: []string{"safety", "later", "none"}},
			{Name: "helper", Prompt: "Help.", Skills: []string{"safety"}},
		}
		s := d.create(cfg)
		s.send("go")
		s.until("session.idle")
		s.send("again")
		s.until("session.idle")
		want := `The agent ops does not have all of its skills: the skill "safety" cannot be read: no network; there is no skill "none".
The agent helper does not have all of its skills: the skill "safety" cannot be read: no network.`
		if got := s.warnings("agent_skills"); got != want {
			t.Errorf("the warnings are\n%s\nwant\n%s", got, want)
		}
		from.before = nil
		s.send("now")
		s.until("session.idle")
		if reqs := d.model.Requests(); !strings.Contains(string(reqs[len(reqs)-1].Raw), "Be careful.") {
			t.Errorf("the model reads %s", reqs[len(reqs)-1].Raw)
		}
	}, first("go", modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "helper", "help", "sync")}}), first("do help", modeltest.Reply{Text: "helped"}),
		modeltest.Reply{Text: "ok"}, modeltest.Reply{Text: "ok"}, modeltest.Reply{Text: "ok"})
}

// An abort does not wait for a client that does not answer: not for its list of skills, not for the texts that an agent
// begins with, not for one that the model loads, and not for a search that another client has asked for.
func TestAnAbortDoesNotWaitForSkills(t *testing.T) {
	for _, silent := range []string{"list", "read", "load", "reload"} {
		t.Run(silent, func(t *testing.T) {
			skilled(t, "create", func(d *desk) {
				from := &provided{list: []wire.ProvidedSkill{{Name: "a"}, {Name: "b"}, {Name: "greet"}}}
				var waits atomic.Bool
				from.before = func(ctx context.Context, method string) error {
					if !waits.Load() || method != "list" && silent == "list" || method != "read" && (silent == "read" || silent == "load") {
						return nil
					}
					limit := time.NewTimer(30 * time.Second) // that of the server
					defer limit.Stop()
					select {
					case <-ctx.Done():
						return context.Cause(ctx)
					case <-limit.C:
						return errors.New("no answer")
					}
				}
				cfg := withSkills()
				cfg.SkillProvider = from
				if silent == "read" {
					cfg.Agent, cfg.CustomAgents = "ops", []wire.CustomAgent{{Name: "ops", Prompt: "Operate.", Skills: []string{"a", "b", "greet"}}}
				}
				s := d.create(cfg)
				waits.Store(true)
				if silent == "reload" {
					go func() { _, _ = s.s.Discovery().ReloadSkills(context.Background()) }()
				}
				time.Sleep(time.Second)
				s.send("go")
				time.Sleep(time.Second)
				begin := time.Now()
				if err := s.s.Abort(context.Background(), "user_initiated"); err != nil {
					t.Fatal(err)
				}
				s.until("session.idle")
				if took := time.Since(begin); took != 0 {
					t.Errorf("the session is idle %v after the abort", took)
				}
				waits.Store(false)
				time.Sleep(time.Minute)
				if got := s.warnings("agent_skills"); got != "" {
					t.Errorf("the abort has led to the warning %q", got)
				}
			}, loads("greet"), modeltest.Reply{Text: "ok"})
		})
	}
}

// A client that asks for a search of its skills while it is asked for them is refused soon, and the run has its skills.
func TestAClientThatReloadsSkillsWhileItListsThem(t *testing.T) {
	skilled(t, "create", func(d *desk) {
		from := &provided{list: []wire.ProvidedSkill{{Name: "greet"}}, text: "Say hello."}
		cfg := withSkills()
		cfg.SkillProvider = from
		s := d.create(cfg)
		from.before = func(ctx context.Context, method string) error {
			if method != "list" {
				return nil
			}
			begin := time.Now()
			_, err := s.s.Discovery().ReloadSkills(ctx)
			if fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "never before it answers them itself") || time.Since(begin) != 2*time.Second {
				t.Errorf("a reload within skillProvider.list: %v, after %v", err, time.Since(begin))
			}
			if _, err = s.s.Discovery().Skills(ctx); fault.KindOf(err) != fault.Unavailable {
				t.Errorf("a list within skillProvider.list: %v", err)
			}
			if _, err = s.s.Agents().List(ctx, true, false); fault.KindOf(err) != fault.Unavailable {
				t.Errorf("a list of agents within skillProvider.list: %v", err)
			}
			return nil
		}
		s.send("go")
		s.until("session.idle")
		if n := count(s.told, "skill.invoked"); n != 1 {
			t.Errorf("%d skill.invoked, want 1", n)
		}
	}, loads("greet"), modeltest.Reply{Text: "ok"})
}

// A skill that is too long is cut, and a warning says so, once: when the model loads it, and when an agent begins with it.
func TestALongSkillIsCutWithAWarning(t *testing.T) {
	skilled(t, "create", func(d *desk) {
		cfg := withSkills()
		cfg.SkillProvider = &provided{list: []wire.ProvidedSkill{{Name: "greet"}}, text: strings.Repeat("Say hello.\n", 20_000)}
		cfg.CustomAgents, cfg.Agent = []wire.CustomAgent{{Name: "ops", Prompt: "Operate.", Skills: []string{"greet"}}}, "ops"
		s := d.create(cfg)
		s.send("go")
		s.until("session.idle")
		s.send("again")
		s.until("session.idle")
		if got, want := s.warnings("skill_cut"), `The model does not get all of a skill: the skill "greet" is longer than 128.0 KB, and what follows is left out.`; got != want {
			t.Errorf("the warnings are %q, want %q", got, want)
		}
		if got, want := s.warnings("agent_skills"), `The agent ops does not have all of its skills: the skill "greet" is longer than 128.0 KB, and what follows is left out.`; got != want {
			t.Errorf("the warnings are %q, want %q", got, want)
		}
	}, loads("greet"), modeltest.Reply{Text: "ok"}, loads("greet"), modeltest.Reply{Text: "ok"})
}
