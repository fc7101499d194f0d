package session_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// file puts a file on the desk.
func (d *desk) file(name, text string) {
	d.t.Helper()
	if err := d.fs.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := vfs.WriteFileAtomic(d.fs, name, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// skilled is a desk whose sessions have the skill tool, one skill in /skills, which the user trusts,
// and one in the project, and a user with a folder.
func skilled(t *testing.T, allowed string, f func(d *desk), replies ...modeltest.Reply) {
	d := &desk{fs: vfs.NewMem(), tools: func(h tool.Host) session.Toolbox {
		return session.Toolbox{Tools: []tool.Tool{tool.NewSkill(h)}}
	}}
	text := func(name string) string {
		return "---\nname: " + name + "\ndescription: Does " + name + ".\nallowed-tools: " + allowed + "\n---\nDo " + name + ".\n"
	}
	bubble(t, d, func(d *desk) {
		d.stop()
		d.start(registry.Options{Home: "/user", Resolve: filepath.Clean})
		d.file("/skills/brew/SKILL.md", text("brew"))
		d.file("/work/.github/skills/mend/SKILL.md", text("mend"))
		if err := d.reg.Trust().Add("/skills"); err != nil {
			t.Fatal(err)
		}
		f(d)
	}, replies...)
}

func withSkills(names ...string) wire.Config {
	cfg := tools(names...)
	cfg.SkillDirectories, cfg.EnableConfigDiscovery = []string{"/skills"}, yes()
	return cfg
}

// states are the skills of a session: "+" before those that are on.
func states(t *testing.T, s *session.Session) string {
	t.Helper()
	skills, err := s.Discovery().Skills(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, k := range skills {
		out = append(out, map[bool]string{true: "+", false: "-"}[k.Enabled]+k.Name)
	}
	return strings.Join(out, " ")
}

func loads(skill string) modeltest.Reply {
	return modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "skill", `{"skill":"`+skill+`"}`)}}
}

func looksUp(id string) modeltest.Reply {
	return modeltest.Reply{ToolCalls: []modeltest.ToolCall{call(id, "asklookup", `{"q":"it"}`)}}
}

func TestAChoiceOfSkillsOutlivesTheNextLook(t *testing.T) {
	skilled(t, "''", func(d *desk) {
		cfg := withSkills()
		cfg.DisabledSkills = []string{"brew"}
		s := d.create(cfg)
		if got := states(t, s.s); got != "-brew +mend" {
			t.Errorf("at first: %s", got)
		}
		for name, on := range map[string]bool{"brew": true, "mend": false} {
			if err := s.s.Discovery().EnableSkill(context.Background(), name, on); err != nil {
				t.Fatal(err)
			}
		}
		s.send("go") // looks again
		s.until("session.idle")
		if got := states(t, s.s); got != "+brew -mend" {
			t.Errorf("after a run: %s", got)
		}
		request := d.model.Requests()[0]
		if text := string(request.Raw); !strings.Contains(text, "- brew:") || strings.Contains(text, "- mend:") {
			t.Errorf("the model read: %s", text)
		}
		if n := count(s.rest(), "session.skills_loaded"); n != 1 {
			t.Errorf("%d session.skills_loaded, want 1", n)
		}
		if _, err := s.s.Discovery().ReloadSkills(context.Background()); err != nil {
			t.Fatal(err)
		}
		if n := count(s.rest(), "session.skills_loaded"); n != 2 {
			t.Errorf("%d session.skills_loaded after a reload, want 2", n)
		}
	}, modeltest.Reply{Text: "ok"})
}

func TestASkillThatIsOffIsNotLoaded(t *testing.T) {
	skilled(t, "''", func(d *desk) {
		cfg := withSkills()
		cfg.DisabledSkills = []string{"brew"}
		s := d.create(cfg)
		s.send("go")
		s.until("session.idle")
		if n := count(s.told, "skill.invoked"); n != 0 || !strings.Contains(d.conversation(), `there is no skill "brew"`) {
			t.Errorf("%d skill.invoked:\n%s", n, d.conversation())
		}
	}, loads("brew"), modeltest.Reply{Text: "ok"})
}

func TestWhatTheUserTurnedOffIsOffForAll(t *testing.T) {
	skilled(t, "''", func(d *desk) {
		other := registry.New(registry.Options{FS: d.fs, Home: "/user"}) // another process
		if err := other.Finder().DisableSkills([]string{"brew", "mend"}); err != nil {
			t.Fatal(err)
		}
		if err := d.reg.Finder().DisableSkill("mend", false); err != nil {
			t.Fatal(err)
		}
		s := d.create(withSkills())
		if got := states(t, s.s); got != "-brew +mend" {
			t.Errorf("skills are %s", got)
		}
		d.file("/user/skills.json", "{broken")
		if err := d.reg.Finder().DisableSkill("brew", true); fault.KindOf(err) != fault.Invalid {
			t.Errorf("one change to a broken file: %v, want Invalid", err)
		}
		diagnostics, err := s.s.Discovery().ReloadSkills(context.Background())
		if err != nil || len(diagnostics.Warnings) != 1 || !strings.Contains(diagnostics.Warnings[0], "skills.json") {
			t.Errorf("warnings %q, %v, want one about skills.json", diagnostics.Warnings, err)
		}
		if err := d.reg.Finder().DisableSkills([]string{"mend"}); err != nil {
			t.Errorf("replacing a broken file: %v", err)
		}
		if _, err := s.s.Discovery().ReloadSkills(context.Background()); err != nil {
			t.Fatal(err)
		}
		if got := states(t, s.s); got != "+brew -mend" {
			t.Errorf("in the end skills are %s", got)
		}
	})
}

func TestAnotherConfigurationIsLookedForAnew(t *testing.T) {
	skilled(t, "''", func(d *desk) {
		s := d.create(tools())
		if got := states(t, s.s); got != "" {
			t.Errorf("without directories: %s", got)
		}
		s2 := d.resume(withSkills())
		if got := states(t, s2.s); got != "+brew +mend" {
			t.Errorf("after the resume: %s", got)
		}
	})
}

func TestAllowedToolsOfASkillNeedNoQuestion(t *testing.T) {
	skilled(t, "asklookup", func(d *desk) {
		s := d.create(withSkills("asklookup"))
		s.send("go")
		s.answer(`"result":"41"`)
		s.until("session.idle")
		if n := count(s.told, "permission.requested"); n != 0 {
			t.Errorf("%d questions, want none:\n%s", n, types(s.told))
		}
		invoked, err := s.s.InvokedSkills(context.Background())
		if err != nil || len(invoked) != 1 {
			t.Fatalf("invoked %v, %v", invoked, err)
		}
		want := wire.SkillLoaded{
			Name: "brew", Path: "/skills/brew/SKILL.md", AllowedTools: []string{"asklookup"},
			Content: "---\nname: brew\ndescription: Does brew.\nallowed-tools: asklookup\n---\nDo brew.\n",
		}
		if diff := cmp.Diff(want, invoked[0]); diff != "" {
			t.Error(diff)
		}
		d.crash()
		s = d.resume(withSkills("asklookup"))
		s.send("again")
		s.answer(`"result":"42"`)
		s.until("session.idle")
		if n := count(s.told, "permission.requested"); n != 0 {
			t.Errorf("%d questions after a resume, want none", n)
		}
	}, loads("brew"), looksUp("c2"), modeltest.Reply{Text: "ok"}, looksUp("c3"), modeltest.Reply{Text: "ok"})
}

func TestASkillThatWasTakenBackAllowsNothing(t *testing.T) {
	skilled(t, "asklookup", func(d *desk) {
		s := d.create(withSkills("asklookup"))
		s.send("go")
		s.until("session.idle")
		if _, err := s.s.History().Truncate(context.Background(), last(t, s.told, "user.message").ID); err != nil {
			t.Fatal(err)
		}
		s.send("again")
		s.until("permission.requested")
	}, loads("brew"), modeltest.Reply{Text: "ok"}, looksUp("c2"))
}

func TestAProjectThatIsNotTrustedAllowsNothing(t *testing.T) {
	for _, trusted := range []bool{false, true} {
		skilled(t, "asklookup", func(d *desk) {
			if trusted {
				if err := d.reg.Trust().Add("/work"); err != nil {
					t.Fatal(err)
				}
			}
			s := d.create(withSkills("asklookup"))
			s.send("go")
			if trusted {
				s.until("external_tool.requested")
			} else {
				s.until("permission.requested")
			}
			if n := count(s.told, "session.warning"); n != map[bool]int{true: 0, false: 1}[trusted] {
				t.Errorf("trusted %v: %d warnings", trusted, n)
			}
		}, loads("mend"), looksUp("c2"))
	}
}

func TestAllowedToolsThatAreNoneAreToldOnce(t *testing.T) {
	skilled(t, "Bash(git:*), Frob(x), deploy*", func(d *desk) {
		s := d.create(withSkills())
		s.send("go")
		s.until("session.idle")
		if n := count(s.told, "session.warning"); n != 1 {
			t.Fatalf("%d warnings, want 1", n)
		}
		for _, odd := range []string{"Frob", "deploy*"} {
			if text := field(last(t, s.told, "session.warning"), "message"); !strings.Contains(text, odd) {
				t.Errorf("the warning does not name %s: %s", odd, text)
			}
		}
	}, loads("brew"), loads("brew"), modeltest.Reply{Text: "ok"})
}

// The model is offered the skills that there are now, also in a session that has offered
// others before.
func TestTheModelIsOfferedTheSkillsOfNow(t *testing.T) {
	skilled(t, "''", func(d *desk) {
		s := d.create(withSkills())
		for _, step := range []struct {
			name       string
			on         bool
			brew, mend bool
		}{{"brew", true, true, true}, {"mend", false, true, false}, {"brew", false, false, false}, {"mend", true, false, true}} {
			if err := s.s.Discovery().EnableSkill(context.Background(), step.name, step.on); err != nil {
				t.Fatal(err)
			}
			s.talk("go")
			listed := strings.Join(d.offered(fact.Skill), "\n")
			if strings.Contains(listed, "- brew:") != step.brew || strings.Contains(listed, "- mend:") != step.mend {
				t.Errorf("after %s=%v the model is offered: %s", step.name, step.on, listed)
			}
		}
	}, modeltest.Reply{Text: "ok", Repeat: true})
}
