package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// provided gives a session the skills of a client.
type provided struct {
	list []wire.ProvidedSkill
	text string
	err  error
}

func (p *provided) List(context.Context, string) ([]wire.ProvidedSkill, error) { return p.list, p.err }

func (p *provided) Read(context.Context, string, string) (string, error) { return p.text, p.err }

// The model gets the skills of a client beside those of files, and loads them by the same tool. What is left out is
// named once.
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
