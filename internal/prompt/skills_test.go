package prompt_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/prompt"
)

// skillFile is a SKILL.md as most people write it.
func skillFile(name, description string) string {
	return "---\nname: " + name + "\ndescription: " + description + "\n---\n\n# " + name + "\n\nDo it.\n"
}

func TestSkillsAreFoundInOrder(t *testing.T) {
	d := memory(
		t,
		"/given/one/SKILL.md", skillFile("one", "First"),
		"/given/note.md", "no skill",
		"/given/.hidden/SKILL.md", skillFile("hidden", "x"),
		"/single/SKILL.md", skillFile("single", "Alone"),
		"/repo/.github/skills/one/SKILL.md", skillFile("one", "NOT THIS"),
		"/repo/.github/skills/root/SKILL.md", skillFile("root", "Of the root"),
		"/repo/app/.claude/skills/mid/SKILL.md", skillFile("mid", "Between"),
		"/repo/app/web/.agents/skills/here/SKILL.md", skillFile("here", "Here"),
		"/home/skills/mine/SKILL.md", skillFile("mine", "Mine"),
		"/me/.agents/skills/agents/SKILL.md", skillFile("agents", "Mine too"),
	)
	where := prompt.SkillSearch{
		Disk: d, Directories: []string{"../../../given", "/single", "/gone"}, Cwd: "/repo/app/web", Root: "/repo",
		Home: "/home", UserHome: "/me", Discover: true, Disabled: []string{"mid"},
	}
	got := prompt.FindSkills(where)
	var list []string
	for _, k := range got.List {
		list = append(list, fmt.Sprint(k.Name, " ", k.Source, " ", k.Enabled))
	}
	want := []string{
		"one custom true", "single custom true", "here project true", "mid inherited false", "root project true",
		"mine personal-copilot true", "agents personal-agents true",
	}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("skills (-want +got)\n%s", diff)
	}
	warnings := []string{
		"/gone: the skill directory was not found",
		`/repo/.github/skills/one/SKILL.md: left out: the skill "one" is in /given/one/SKILL.md already`,
	}
	if diff := cmp.Diff(warnings, got.Warnings); diff != "" || got.Errors != nil {
		t.Errorf("%s, errors %q", diff, got.Errors)
	}
	listing := "<available_skills>\n- one: First\n- single: Alone\n- here: Here\n- root: Of the root\n- mine: Mine\n- agents: Mine too\n</available_skills>"
	if diff := cmp.Diff(listing, got.Listing()); diff != "" {
		t.Error(diff)
	}
	where.Discover = false
	if got := prompt.FindSkills(where).Listing(); strings.Contains(got, "root") || strings.Contains(got, "agents") || !strings.Contains(got, "mine") {
		t.Errorf("without discovery: %s", got)
	}
	if got := prompt.FindSkills(prompt.SkillSearch{}); got.Listing() != "" || got.Wire() == nil {
		t.Errorf("nothing: %+v", got)
	}
}

func TestFrontMatterOfSkills(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       string // name|description|tools|hidden|internal, or "error: …"
		warning    string
	}{
		{"all of it", "---\nname: a.b:c-d\ndescription: >\n  two\n  lines\nallowed-tools: [view, 'bash(git:*)']\ndisable-model-invocation: true\nuser-invocable: false\n---\n", "a.b:c-d|two lines|[view bash(git:*)]|true|true", ""},
		{"tools with commas", "---\ndescription: d\nallowed-tools: view, bash(a, b)\n---\n", "dir|d|[view bash(a, b)]|false|false", ""},
		{"tools with blanks", "---\ndescription: d\nallowed-tools: view bash(git add)\n---\n", "dir|d|[view bash(git add)]|false|false", ""},
		{"none", "# Title\n\nDoes this.\nAnd that.\n", "dir|Does this.|[]|false|false", "no description"},
		{"CRLF", "---\r\nname: x\r\ndescription: d\r\n---\r\nbody\r\n", "x|d|[]|false|false", ""},
		{"a colon in a value", "---\nname: x\ndescription: Use when: now\n---\n", "x|Use when: now|[]|false|false", "front matter"},
		{"tools that cannot be read", "---\nname: x\ndescription: Use when: now\nallowed-tools: [view]\nallowed-tools: bash\ndisable-model-invocation: [true]\n---\n", "x|Use when: now|[]|true|false", "its allowed-tools cannot be read, and allow nothing"},
		{"a list is no table", "---\n- a\n---\nbody", "dir|body|[]|false|false", "front matter"},
		{"a number for a name", "---\nname: 7\ndescription: d\n---\n", "dir|d|[]|false|false", ""},
		{"a name that climbs", "---\nname: ../../x\ndescription: d\n---\n", "error: is not a name", ""},
		{"a name of dots", "---\nname: ..\ndescription: d\n---\n", "error: is not a name", ""},
		{"a name with quotes", "---\nname: 'x\"><y'\ndescription: d\n---\n", "error: is not a name", ""},
		{"a name too long", "---\nname: " + strings.Repeat("n", 65) + "\ndescription: d\n---\n", "error: is not a name", ""},
		{"no end", "---\nname: x\n", "error: does not end", ""},
		{"front matter without end of size", "---\nname: x\n" + strings.Repeat("# y\n", 9000) + "---\n", "error: does not end", ""},
		{"aliases that explode", "---\nname: x\ndescription: d\na: &a [1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n---\n", "error: line 4: the anchor &a is not allowed", ""},
		{"binary", "\x00\x01", "error: not a text file", ""},
		{"a long description", "---\ndescription: " + strings.Repeat("w ", 2000) + "\n---\n", "dir|" + strings.Repeat("w ", 511) + "w…|[]|false|false", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			found := prompt.FindSkills(prompt.SkillSearch{Disk: memory(t, "/s/dir/SKILL.md", tc.text), Directories: []string{"/s"}})
			got := "error: " + strings.Join(found.Errors, "")
			if len(found.List) == 1 {
				k := found.List[0]
				got = fmt.Sprint(k.Name, "|", k.Description, "|", k.AllowedTools, "|", k.Hidden, "|", k.Internal)
			}
			if want, failed := strings.CutPrefix(tc.want, "error: "); failed && !strings.Contains(got, want) || !failed && got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
			if warnings := strings.Join(found.Warnings, "; "); !strings.Contains(warnings, tc.warning) || tc.warning == "" && warnings != "" {
				t.Errorf("warnings %q, want %q", warnings, tc.warning)
			}
		})
	}
}

func TestASkillIsReadWhenItIsLoaded(t *testing.T) {
	d := memory(t, "/s/hello/SKILL.md", skillFile("hello", "Says hello"), "/s/other/SKILL.md", skillFile("other", "x"),
		"/s/hide/SKILL.md", skillFile("hide", "x\ndisable-model-invocation: true"))
	found := prompt.FindSkills(prompt.SkillSearch{Disk: d, Directories: []string{"/s"}})
	k, err := found.ForModel("Hello")
	if err != nil {
		t.Fatal(err)
	}
	text, err := d.Load(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	want := "<skill-context name=\"hello\">\nBase directory for this skill: /s/hello\n\n# hello\n\nDo it.\n\n</skill-context>"
	if diff := cmp.Diff(want, text.Context()); diff != "" {
		t.Error(diff)
	}
	e := text.Invoked("agent-invoked")
	if e.Name != "hello" || e.Path != "/s/hello/SKILL.md" || !strings.HasPrefix(e.Content, "---\nname: hello") ||
		*e.Description != "Says hello" || *e.Source != "custom" || *e.Trigger != "agent-invoked" || e.DisableModelInvocation != nil {
		t.Errorf("event %+v", e)
	}
	if again := prompt.SkillContext(e.Name, e.Path, e.Content); again != want {
		t.Errorf("from the event it is %q", again)
	}
	if err := d.FS.Remove("/s/hello/SKILL.md"); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Load(t.Context(), k); fault.KindOf(err) != fault.NotFound || !strings.Contains(err.Error(), "not found") {
		t.Errorf("a file that is gone: %v", err)
	}
	if _, err := found.ForModel("hide"); err == nil || strings.Contains(found.Listing(), "hide") {
		t.Errorf("what only people may load is in %q, %v", found.Listing(), err)
	}
	found.Enable("other", false)
	if _, err := found.ForModel("other"); err == nil || !strings.Contains(err.Error(), "can be loaded: hello") {
		t.Errorf("a disabled one: %v", err)
	}
	found.Enable("hello", false)
	if _, err := found.ForModel("x\ny"); err == nil || err.Error() != `there is no skill "x y", and no other one` {
		t.Errorf("none left: %v", err)
	}
	if found.Enable("nobody", true) {
		t.Error("a skill that is not there was enabled")
	}
	if w := found.Wire()[0]; w.Enabled || *w.Path != "/s/hello/SKILL.md" || *w.CommandName != "hello" || !w.UserInvocable {
		t.Errorf("on the wire %+v", w)
	}
}

func TestSkillsOfACustomAgentAreLoadedAtOnce(t *testing.T) {
	d := memory(t, "/s/a/SKILL.md", skillFile("a", "x"), "/s/b/SKILL.md", skillFile("b", "x"), "/s/c/SKILL.md", skillFile("c", "x"))
	found := prompt.FindSkills(prompt.SkillSearch{Disk: refusing(d, "/s/c/SKILL.md"), Directories: []string{"/s"}, Disabled: []string{"b"}})
	if len(found.List) != 2 || len(found.Errors) != 1 {
		t.Fatalf("found %+v", found)
	}
	if err := d.FS.Remove("/s/b/SKILL.md"); err != nil {
		t.Fatal(err)
	}
	loaded, warnings := d.Preload(t.Context(), found, []string{"b", "a", "none"})
	if len(loaded) != 1 || loaded[0].Name != "a" || !strings.Contains(loaded[0].Context(), "Do it.") {
		t.Errorf("loaded %+v", loaded)
	}
	if diff := cmp.Diff([]string{`there is no skill "none"`}, warnings); diff != "" {
		t.Error(diff)
	}
	found.Enable("b", true)
	if _, warnings := d.Preload(t.Context(), found, []string{"b"}); len(warnings) != 1 || !strings.HasPrefix(warnings[0], "/s/b/SKILL.md: ") || !strings.Contains(warnings[0], "not found") {
		t.Errorf("a file that is gone: %q", warnings)
	}
}

func TestSkillsAreBounded(t *testing.T) {
	var files []string
	for i := range 210 {
		name := fmt.Sprintf("s%03d", i)
		files = append(files, "/s/"+name+"/SKILL.md", skillFile(name, strings.Repeat("d", 200))+strings.Repeat("x", 200<<10/210))
	}
	files = append(files, "/big/SKILL.md", skillFile("big", "Big")+strings.Repeat("x", 200<<10))
	d := memory(t, files...)
	found := prompt.FindSkills(prompt.SkillSearch{Disk: d, Directories: []string{"/big", "/s"}})
	if len(found.List) != 200 || len(found.Warnings) != 1 {
		t.Errorf("%d skills, warnings %q", len(found.List), found.Warnings)
	}
	if got := found.Listing(); len(got) > 19<<10 || !strings.Contains(got, "more: s0") {
		t.Errorf("the listing has %d bytes and ends in %q", len(got), got[len(got)-100:])
	}
	text, err := d.Load(t.Context(), found.List[0])
	if err != nil || len(text.Content) > 129<<10 || !strings.Contains(text.Content, "[Cut after 128.0 KB. Read the rest of /big/SKILL.md") {
		t.Errorf("%d bytes, %v", len(text.Content), err)
	}
}

func TestSkillsOfAProjectStayInIt(t *testing.T) {
	d, root := real(
		t,
		"out/SKILL.md", skillFile("out", "x"),
		"repo/.github/skills/bad/SKILL.md", "->../../../../out/SKILL.md",
		"repo/.github/skills/worse", "->../../../out",
		"repo/.claude/skills/good", "->../../lib",
		"repo/lib/SKILL.md", skillFile("good", "x"),
		"repo/.agents/skills/good/SKILL.md", "->../../../lib/SKILL.md",
		"home/skills/mine", "->../../out",
	)
	found := prompt.FindSkills(prompt.SkillSearch{Disk: d, Cwd: filepath.Join(root, "repo"), Home: filepath.Join(root, "home"), Discover: true})
	if len(found.List) != 2 || found.List[0].Name != "good" || found.List[1].Name != "out" || found.List[1].Source != "personal-copilot" {
		t.Errorf("got %+v", found.List)
	}
	if len(found.Errors) != 2 || len(found.Warnings) != 0 || !strings.Contains(found.Errors[0], "leads out") {
		t.Errorf("errors %q, warnings %q", found.Errors, found.Warnings)
	}
}

func FuzzSkill(f *testing.F) {
	for _, seed := range []string{skillFile("a", "b"), "---\n---\nx", "---\nname: [\n---", "---\n", "\ufeff---\nname: x\n---\n", "---\nallowed-tools: ))(, (\n---\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d := memory(t, "/s/dir/SKILL.md", text)
		found := prompt.FindSkills(prompt.SkillSearch{Disk: d, Directories: []string{"/s"}})
		if len(found.List)+len(found.Errors) != 1 {
			t.Fatalf("%d skills and %d errors of one file", len(found.List), len(found.Errors))
		}
		for _, k := range found.List {
			loaded, err := d.Load(t.Context(), k)
			if err != nil {
				return // a byte that is not text after the part that was looked at
			}
			context := loaded.Context()
			if strings.ContainsAny(k.Name, "\n\"<> /") || strings.Contains(k.Description, "\n") ||
				!strings.HasPrefix(context, `<skill-context name="`+k.Name+`">`) || !strings.HasSuffix(context, "\n</skill-context>") {
				t.Errorf("%+v reads %q", k, context)
			}
		}
	})
}

// The author of a plugin does not choose which files of the user the model reads: a link that
// leads out of the plugin is no skill.
func TestSkillsOfAPluginStayInIt(t *testing.T) {
	d, root := real(
		t,
		"key", "SECRET-KEY\n",
		"outside/one/SKILL.md", skillFile("one", "SECRET"),
		"plugin/real.md", skillFile("good", "It stays."),
		"plugin/skills/good/SKILL.md", "->../../real.md",
		"plugin/skills/key/SKILL.md", "->../../../key",
		"plugin/away", "->../outside",
	)
	p := filepath.Join(root, "plugin")
	folders := []prompt.PluginSkills{{Dir: filepath.Join(p, "skills"), Plugin: p}, {Dir: filepath.Join(p, "away"), Plugin: p}}
	got := prompt.FindSkills(prompt.SkillSearch{Disk: d, Plugins: folders})
	var names []string
	for _, k := range got.List {
		names = append(names, k.Name)
	}
	if diff := cmp.Diff([]string{"good"}, names); diff != "" {
		t.Errorf("skills (-want +got)\n%s", diff)
	}
	if listing := got.Listing(); strings.Contains(listing, "SECRET") {
		t.Errorf("the model reads %s", listing)
	}
	for _, name := range []string{"skills/key", "away/one"} {
		want := filepath.Join(p, filepath.FromSlash(name), "SKILL.md") + ": a link that leads out of the folder it was found in"
		if !strings.Contains(strings.Join(got.Errors, "\n"), want) {
			t.Errorf("errors %q, want %q", got.Errors, want)
		}
	}
}

// The skills of a client and those of files are at most 200 together, and what is left out is named.
func TestSkillsOfAClientCountAsWell(t *testing.T) {
	list := func(prefix string) (list []prompt.Skill) {
		for i := range 150 {
			name := fmt.Sprintf("%s%d", prefix, i)
			list = append(list, prompt.Skill{Name: name, Path: "/s/" + name + "/SKILL.md"})
		}
		return list
	}
	found := prompt.Skills{List: list("f")}
	problems := found.Provide(list("c"), nil)
	want := []string{"/s/f50/SKILL.md is left out with all that follow, 100 in all: with those of the client there are more than 200 skills."}
	if diff := cmp.Diff(want, problems); diff != "" || len(found.List) != 200 {
		t.Errorf("%d skills; problems (-want +got):\n%s", len(found.List), diff)
	}
}
