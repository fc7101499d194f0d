package prompt_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// every is a session with each tool that the texts know.
var every = []string{"ask_user", "view", "grep", "glob", "edit", "create", "bash", "task", "skill", "sql", "exit_plan_mode", "task_complete"}

func TestSectionsSayWhatTheProtocolWants(t *testing.T) {
	env := prompt.Env{
		Cwd: "/work/app", GitRoot: "/work", OS: "plan9", Programs: []string{"git", "rg"}, Tools: every,
		Instructions: "INSTRUCTIONS", Agent: "AGENT",
	}
	var ids []string
	for _, s := range prompt.Sections(env) {
		ids = append(ids, s.ID)
		if s.Text == "" || s.Text != strings.TrimSpace(s.Text) {
			t.Errorf("%s is empty or has loose ends: %q", s.ID, s.Text)
		}
	}
	want := []string{
		"preamble", "tone", "tool_efficiency", "environment_context", "code_change_rules", "guidelines",
		"safety", "tool_instructions", "custom_instructions", "runtime_instructions", "last_instructions",
	}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("ids (-want +got)\n%s", diff)
	}
	text, err := prompt.System(prompt.Sections(env), nil, nil)
	if err != nil || len(text) > 6000 {
		t.Errorf("the whole has %d bytes (error %v), want at most 6000", len(text), err)
	}
	for _, want := range []string{
		"GitHub", "<code_change_instructions>\n", "\n</code_change_instructions>\n\n",
		"<environment_context>\nCurrent working directory: /work/app\nGit repository root: /work\n" +
			"Operating system: plan9\nAvailable command-line tools: git, rg\n</environment_context>",
		"\n\nINSTRUCTIONS\n\nAGENT\n\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if again, _ := prompt.System(prompt.Sections(env), nil, nil); again != text {
		t.Error("the second time it is another text: caches do not hold")
	}
}

func TestSectionsOfABareSession(t *testing.T) {
	text, _ := prompt.System(prompt.Sections(prompt.Env{Cwd: "/"}), &wire.SystemMessageSet{Content: "MORE"}, nil)
	for _, name := range []string{"ask_user", "grep", "bash", "todos", "[", "# Tools", "Available command-line"} {
		if strings.Contains(text, name) {
			t.Errorf("without tools it still says %q:\n%s", name, text)
		}
	}
	for _, want := range []string{"GitHub", "Operating system: " + runtime.GOOS, "Not in a git repository", "\n\nMORE"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "\n\n\n") {
		t.Error("an empty section leaves a hole")
	}
}

func TestModesAddInstructions(t *testing.T) {
	runtimePart := func(m prompt.Mode) string {
		for _, s := range prompt.Sections(prompt.Env{Mode: m, Tools: every, Plan: "/s/plan.md"}) {
			if s.ID == prompt.RuntimeInstructions {
				return s.Text
			}
		}
		return ""
	}
	for mode, want := range map[prompt.Mode]string{prompt.Plan: "exit_plan_mode", prompt.Autopilot: "task_complete"} {
		if got := runtimePart(mode); !strings.Contains(got, want) || strings.Contains(got, "{") {
			t.Errorf("%s: %q, want %s and no holes", mode, got, want)
		}
	}
	if got := runtimePart(prompt.Plan); !strings.Contains(got, "/s/plan.md") {
		t.Errorf("plan mode does not say where the plan goes: %q", got)
	}
	for _, mode := range []prompt.Mode{"", prompt.Interactive, prompt.Shell} {
		if got := runtimePart(mode); got != "" {
			t.Errorf("%q says %q, want nothing", mode, got)
		}
	}
}

// parts is a small system message: the group, and three others.
func parts() []prompt.Section {
	return []prompt.Section{
		{prompt.Preamble, "p"},
		{prompt.Tone, "t"},
		{prompt.ToolEfficiency, "e"},
		{prompt.Safety, "s"},
		{prompt.CustomInstructions, "c"},
		{prompt.LastInstructions, "l"},
	}
}

func TestCustomize(t *testing.T) {
	type set = map[string]wire.SectionOverride
	for _, tc := range []struct {
		name string
		set  set
		want string // the texts, with a blank between them
	}{
		{"nothing", nil, "p t e s c l"},
		{"replace", set{"safety": {Action: "replace", Content: "X\n"}}, "p t e X c l"},
		{"remove", set{"safety": {Action: "remove", Content: "X"}}, "p t e c l"},
		{"append and prepend", set{"safety": {Action: "append", Content: "X"}, "tone": {Action: "prepend", Content: "Y"}}, "p Y t e s X c l"},
		{"preserve alone", set{"safety": {Action: "preserve", Content: "X"}}, "p t e s c l"},
		{"no action is append", set{"safety": {Content: "X"}}, "p t e s X c l"},
		{"an unknown action keeps both", set{"safety": {Action: "blend", Content: "X"}}, "p t e s X c l"},
		{"the group is replaced once", set{"identity": {Action: "replace", Content: "X"}}, "X s c l"},
		{"the group is removed", set{"identity": {Action: "remove"}}, "s c l"},
		{"the group is added to once", set{"identity": {Action: "append", Content: "X"}}, "p t e X s c l"},
		{"and before", set{"identity": {Action: "prepend", Content: "X"}}, "X p t e s c l"},
		{"a member is preserved", set{"identity": {Action: "remove"}, "tone": {Action: "preserve"}}, "t s c l"},
		{"a member has its own", set{"identity": {Action: "replace", Content: "X"}, "tone": {Action: "append", Content: "Y"}}, "X t Y s c l"},
		{"the group alone is preserved", set{"identity": {Action: "preserve"}}, "p t e s c l"},
		{"an unknown section is kept", set{"mood": {Action: "replace", Content: "X"}, "alpha": {Content: "Y"}}, "p t e s c Y X l"},
		{"an unknown section without the custom one", set{"custom_instructions": {Action: "remove"}, "mood": {Content: "X"}}, "p t e s X l"},
		{"an unknown section is removed", set{"mood": {Action: "remove"}}, "p t e s c l"},
		{"transformed", set{"safety": {Action: "transform"}, "tone": {Action: "remove"}}, "p e <safety:s> c l"},
		{"the group transformed", set{"identity": {Action: "transform"}}, "<identity:p t e> s c l"},
		{"the group and a member", set{"identity": {Action: "transform"}, "tone": {Action: "transform"}}, "<identity:p e> <tone:t> s c l"},
		{"an unknown section transformed", set{"mood": {Action: "transform"}, "custom_instructions": {Action: "remove"}}, "p t e s <mood:> l"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			calls := 0
			got, err := prompt.Customize(parts(), tc.set, func(sections map[string]string) (map[string]string, error) {
				calls++
				for id, text := range sections {
					sections[id] = "<" + id + ":" + strings.ReplaceAll(text, "\n\n", " ") + ">"
				}
				return sections, nil
			})
			if err != nil || calls > 1 {
				t.Errorf("%d calls, error %v", calls, err)
			}
			var texts []string
			for _, s := range got {
				texts = append(texts, strings.ReplaceAll(s.Text, "\n\n", " "))
			}
			if got := strings.Join(texts, " "); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestTransformsThatFailKeepTheText(t *testing.T) {
	marked := map[string]wire.SectionOverride{"safety": {Action: "transform"}, "tone": {Action: "remove"}, "identity": {Action: "transform"}}
	set := &wire.SystemMessageSet{Mode: "customize", Sections: marked, Content: "MORE"}
	for name, ask := range map[string]prompt.Transform{
		"no client":  nil,
		"an error":   func(map[string]string) (map[string]string, error) { return nil, errors.New("gone") },
		"no answers": func(map[string]string) (map[string]string, error) { return nil, nil },
	} {
		got, err := prompt.System(parts(), set, ask)
		if want := "p\n\ne\n\ns\n\nc\n\nl\n\nMORE"; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		if failed := name != "no answers"; failed != (err != nil) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestReplaceIsTheWholeSystemMessage(t *testing.T) {
	got, err := prompt.System(parts(), &wire.SystemMessageSet{Mode: "replace", Content: " only \n"}, nil)
	if err != nil || got != " only \n" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestIdentityAndToneAreNeverEmptyForATransform(t *testing.T) {
	set := map[string]wire.SectionOverride{"identity": {Action: "transform"}, "tone": {Action: "transform"}}
	_, err := prompt.Customize(prompt.Sections(prompt.Env{}), set, func(s map[string]string) (map[string]string, error) {
		if s["identity"] == "" || s["tone"] == "" || len(s) != 2 {
			t.Errorf("got %q", s)
		}
		return s, nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestPrograms(t *testing.T) {
	got := prompt.Programs(func(name string) (string, error) {
		if name == "rg" || name == "git" {
			return "/bin/" + name, nil
		}
		return "", errors.New("no")
	})
	if diff := cmp.Diff([]string{"git", "rg"}, got); diff != "" {
		t.Error(diff)
	}
}
