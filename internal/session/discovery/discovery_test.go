package discovery_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/plugin"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/session/discovery"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// folders is a disk, what the user trusts on it, and the session that looks there.
type folders struct {
	t       *testing.T
	disk    *vfs.Mem
	trusted bool

	mu     sync.Mutex
	scope  discovery.Scope
	events []wire.Data
	closed bool
}

func (f *folders) Scope(context.Context) (discovery.Scope, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return discovery.Scope{}, fault.New(fault.NotFound, "session", "s1", "it is closed")
	}
	return f.scope, nil
}

func (*folders) RunText(_ context.Context, _, command string, _ []permit.Rule) (output, why string) {
	return "output of " + command, ""
}

func (*folders) MayRead(context.Context, string) (why string) { return "" }

func (*folders) Withheld(context.Context, string) (why string) { return "" }

func (f *folders) Emit(_ context.Context, event wire.Data) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events = append(f.events, event)
	return nil
}

func (f *folders) file(name, text string) {
	f.t.Helper()
	if err := f.disk.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		f.t.Fatal(err)
	}
	if err := vfs.WriteFileAtomic(f.disk, name, []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

func (f *folders) skill(dir, allowed string) {
	name := filepath.Base(dir)
	f.file(dir+"/SKILL.md", fmt.Sprintf("---\nname: %s\ndescription: Does %s.\nallowed-tools: %s\n---\nDo %s.\n", name, name, allowed, name))
}

func (f *folders) finder() *discovery.Finder {
	return discovery.NewFinder(discovery.Options{
		FS: f.disk, Resolve: filepath.Clean, Counts: func(string, string) error {
			if f.trusted {
				return nil
			}
			return projectfiles.ErrUntrusted
		}, Home: "/user", Cwd: "/work",
		Plugins: plugin.NewStore(f.disk, "", "/work"),
	})
}

// newFolders has two skills, brew in /skills and mend in the project /work, and
// instructions in the project.
func newFolders(t *testing.T) (*folders, *discovery.Discovery) {
	f := &folders{t: t, disk: vfs.NewMem()}
	f.skill("/skills/brew", "lookup, Frob(x)")
	f.skill("/work/.github/skills/mend", "lookup")
	f.file("/work/AGENTS.md", "Be brief.")
	f.scope = discovery.Scope{Cwd: "/work", Settings: discovery.Settings{SkillDirectories: []string{"/skills"}, DiscoverSkills: true}}
	return f, discovery.New(f.finder(), f, "s1")
}

// states are the skills of a session, "+" before those that are on.
func states(t *testing.T, d *discovery.Discovery) string {
	t.Helper()
	skills, err := d.Skills(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, k := range skills {
		out = append(out, map[bool]string{true: "+", false: "-"}[k.Enabled]+k.Name)
	}
	return strings.Join(out, " ")
}

func TestALookIsKeptUntilTheScopeChanges(t *testing.T) {
	f, d := newFolders(t)
	if text, _ := d.Texts(); text != "" || d.Listing() != "" {
		t.Errorf("before the first search: %q, %q", text, d.Listing())
	}
	if got := states(t, d); got != "+brew +mend" {
		t.Errorf("at first: %s", got)
	}
	f.skill("/skills/late", "x")
	f.file("/work/AGENTS.md", "Be long.")
	if got := states(t, d); got != "+brew +mend" {
		t.Errorf("asked again: %s", got)
	}
	if text, _ := d.Texts(); !strings.Contains(text, "Be brief.") {
		t.Errorf("instructions: %q", text)
	}
	f.scope.Settings.DisabledSkills = []string{"mend"}
	if got := states(t, d); got != "+brew +late -mend" {
		t.Errorf("with other settings: %s", got)
	}
	if len(f.events) != 1 {
		t.Errorf("%d events, want one session.skills_loaded", len(f.events))
	}
	d.Forget()
	if text, _ := d.Texts(); text != "" || !strings.Contains(d.Listing(), "- brew:") {
		t.Errorf("after Forget: %q, %q", text, d.Listing())
	}
	if err := d.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if text, _ := d.Texts(); !strings.Contains(text, "Be long.") {
		t.Errorf("after another look: %q", text)
	}
	if _, err := d.ReloadSkills(t.Context()); err != nil || len(f.events) != 2 {
		t.Errorf("ReloadSkills: %v, %d events, want 2", err, len(f.events))
	}
	sources, err := d.Instructions(t.Context())
	if err != nil || len(sources) != 1 || sources[0].Content != "Be long." {
		t.Errorf("Instructions = %+v, %v", sources, err)
	}
}

func TestASkillIsTurnedOnAndOff(t *testing.T) {
	f, d := newFolders(t)
	f.scope.Settings.DisabledSkills = []string{"brew"}
	for name, on := range map[string]bool{"brew": true, "mend": false} {
		if err := d.EnableSkill(t.Context(), name, on); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the choice outlives the next look
		if got := states(t, d); got != "+brew -mend" {
			t.Errorf("skills are %s", got)
		}
		if err := d.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.EnableSkill(t.Context(), "nobody", true); fault.KindOf(err) != fault.NotFound {
		t.Errorf("an unknown skill: %v", err)
	}
	if _, _, err := d.LoadSkill(t.Context(), "", "mend"); err == nil || !strings.Contains(err.Error(), "brew") {
		t.Errorf("a skill that is off was loaded: %v", err)
	}
}

// The tools that a skill names are allowed only for the user's own skills, and in folders that the
// user trusts: not for those of plugins, or of folders that clients name.
func TestAllowedToolsOfASkill(t *testing.T) {
	for _, tc := range []struct {
		name    string
		trusted bool
		allowed int
		warning string
	}{
		{"brew", false, 0, "not trusted"},
		{"brew", true, 2, "Frob(x)"},
		{"own", false, 1, ""},
		{"brought", false, 0, "not trusted"},
		{"brought", true, 1, ""},
		{"mend", false, 0, "not trusted"},
		{"mend", true, 1, ""},
	} {
		f, d := newFolders(t)
		f.trusted = tc.trusted
		f.skill("/user/skills/own", "lookup")
		f.skill("/plug/skills/brought", "lookup")
		f.file("/plug/plugin.json", `{"name":"plug"}`)
		f.scope.Settings.PluginDirectories = []string{"/plug"}
		if _, _, err := d.LoadSkill(t.Context(), "", tc.name); fault.KindOf(err) != fault.NotFound {
			t.Errorf("%s before the first search: %v", tc.name, err)
		}
		if err := d.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		skill, warnings, err := d.LoadSkill(t.Context(), "", tc.name)
		if err != nil || len(skill.AllowedTools) != tc.allowed {
			t.Errorf("%s, trusted %v: allows %q, %v", tc.name, tc.trusted, skill.AllowedTools, err)
		}
		if got := len(warnings) == 1; got != (tc.warning != "") || got && !strings.Contains(warnings[0].(*wire.SessionWarning).Message, tc.warning) {
			t.Errorf("%s, trusted %v: warnings %+v, want one about %q", tc.name, tc.trusted, warnings, tc.warning)
		}
	}
}

// A skill that is off is not read with the agent that names it.
func TestInstructionsOfTheMainAgent(t *testing.T) {
	f, d := newFolders(t)
	f.scope.Agent = agent.Definition{Name: "cook", Prompt: "Cook.", Skills: []string{"brew", "mend", "fry"}}
	f.scope.Settings.DisabledSkills = []string{"mend"}
	diagnostics, err := d.ReloadSkills(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, text := d.Texts()
	if !strings.HasPrefix(text, "<agent_instructions>\nCook.\n\n<skill-context name=\"brew\">") || strings.Contains(text, "Do mend.") {
		t.Errorf("the agent reads %q", text)
	}
	want := []string{`agent cook: there is no skill "fry"`}
	if diff := cmp.Diff(want, diagnostics.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestTheUsersListOfSkills(t *testing.T) {
	f, d := newFolders(t)
	finder := f.finder()
	if err := finder.DisableSkills([]string{"brew", "mend", "brew"}); err != nil {
		t.Fatal(err)
	}
	if err := finder.DisableSkill("mend", false); err != nil {
		t.Fatal(err)
	}
	if got := states(t, d); got != "-brew +mend" {
		t.Errorf("skills are %s", got)
	}
	f.file("/user/skills.json", "{broken")
	if err := finder.DisableSkill("brew", true); fault.KindOf(err) != fault.Invalid {
		t.Errorf("one change to a broken file: %v, want Invalid", err)
	}
	diagnostics, err := d.ReloadSkills(t.Context())
	if err != nil || len(diagnostics.Warnings) != 1 || !strings.Contains(diagnostics.Warnings[0], "skills.json") {
		t.Errorf("warnings %q, %v", diagnostics.Warnings, err)
	}
	if err := finder.DisableSkills(nil); err != nil {
		t.Errorf("replacing a broken file: %v", err)
	}
	for name, list := range map[string][]string{
		"an empty name": {""}, "a long name": {strings.Repeat("x", 201)}, "too many": numbered(1001),
	} {
		if err := finder.DisableSkills(list); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v, want Invalid", name, err)
		}
	}
	if err := finder.DisableSkills(numbered(1000)); err != nil {
		t.Error(err)
	}
	if err := finder.DisableSkill("one more", true); fault.KindOf(err) != fault.Invalid {
		t.Errorf("one more than are kept: %v, want Invalid", err)
	}
}

func numbered(n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprint("s", i))
	}
	return names
}

func TestFoldersWithoutASession(t *testing.T) {
	f, _ := newFolders(t)
	f.file("/user/copilot-instructions.md", "Mine.")
	f.skill("/user/skills/own", "x")
	finder := f.finder()
	found, err := finder.Skills([]string{"."}, []string{"/skills"}, true)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, k := range found.Skills {
		names = append(names, k.Name)
	}
	if diff := cmp.Diff([]string{"mend", "brew", "own"}, names); diff != "" {
		t.Errorf("skills (-want +got):\n%s", diff)
	}
	for host, want := range map[bool]int{true: 2, false: 1} {
		if sources, err := finder.Instructions([]string{"/work"}, host); err != nil || len(sources) != want {
			t.Errorf("Instructions, host %v: %d, %v, want %d", host, len(sources), err, want)
		}
	}
	paths, err := finder.SkillPaths([]string{"/work"}, true)
	if err != nil || len(paths) != 4 || paths[0].Path != "/work/.github/skills" || !paths[0].PreferredForCreation || paths[3].Path != "/user/skills" {
		t.Errorf("SkillPaths = %+v, %v", paths, err)
	}
	if paths, err := finder.InstructionPaths(nil, false); err != nil || paths == nil || len(paths) != 0 {
		t.Errorf("InstructionPaths of nothing = %v, %v", paths, err)
	}
	for _, bad := range [][]string{{""}, {"a\x00b"}, numbered(101)} {
		if _, err := finder.SkillPaths(bad, false); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%.20q: %v, want Invalid", bad, err)
		}
	}
}

func TestAClosedSessionLooksNoMore(t *testing.T) {
	f, d := newFolders(t)
	f.closed = true
	if err := d.Refresh(t.Context()); fault.KindOf(err) != fault.NotFound {
		t.Errorf("Look: %v", err)
	}
	if _, err := d.Skills(t.Context()); fault.KindOf(err) != fault.NotFound {
		t.Errorf("Skills: %v", err)
	}
}
