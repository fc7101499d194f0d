package prompt_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/prompt"
)

// bomb is front matter whose aliases stand for 2^64 values.
func bomb() string {
	var b strings.Builder
	b.WriteString("---\ndescription: d\nmcp-servers:\n  a0: &a0 {command: x}\n")
	for i := range 64 {
		fmt.Fprintf(&b, "  a%d: &a%d {x: *a%d, y: *a%d}\n", i+1, i+1, i, i)
	}
	return b.String() + "---\nbody\n"
}

// hostileFronts are front matter that must not be read, with what the user is told.
func hostileFronts() map[string][2]string {
	return map[string][2]string{
		"aliases that explode": {bomb(), "line 4: the anchor &a0 is not allowed"},
		"an anchor":            {"---\ndescription: &d text\n---\nbody", "line 2: the anchor &d is not allowed"},
		"an alias to itself":   {"---\na: &a [*a]\n---\nbody", "line 2: the anchor &a is not allowed"},
		"a merge key":          {"---\n<<: {description: d}\n---\nbody", "line 2: the merge key << is not allowed"},
		"a tag":                {"---\n\ndescription: !!binary AAAA\n---\nbody", "line 3: the tag !!binary is not allowed"},
		"another tag":          {"---\ndescription: !ruby/object:X {}\n---\nbody", "line 2: the tag !ruby/object:X is not allowed"},
		"levels":               {"---\na: " + strings.Repeat("[", 4000) + strings.Repeat("]", 4000) + "\n---\nbody", "more than 32 tables and lists in one another"},
		"the same field":       {"---\na: {" + strings.Repeat("a,", 8000) + "}\n---\nbody", "line 2: a table has more than 200 fields"},
	}
}

// TestFrontMatterThatIsRefused: a file whose front matter can grow is not used, in any of the four
// kinds of files, and the files beside it are.
func TestFrontMatterThatIsRefused(t *testing.T) {
	for name, tc := range hostileFronts() {
		t.Run(name, func(t *testing.T) {
			const good = "---\ndescription: good\n---\nbody of the good one"
			d := memory(
				t,
				"/r/.github/agents/bad.md", tc[0], "/r/.github/agents/good.md", good,
				"/r/.github/skills/bad/SKILL.md", tc[0], "/r/.github/skills/good/SKILL.md", good,
				"/r/.github/prompts/bad.prompt.md", tc[0], "/r/.github/prompts/good.prompt.md", good,
				"/r/.github/instructions/bad.instructions.md", tc[0], "/r/.github/instructions/good.instructions.md", good,
			)
			agents := prompt.FindAgents(prompt.AgentSearch{Disk: d, Root: "/r"})
			skills := prompt.FindSkills(prompt.SkillSearch{Disk: d, Cwd: "/r", Root: "/r", Discover: true})
			templates, warnings := prompt.FindTemplates(prompt.TemplateSearch{Disk: d, Root: "/r"})
			in := prompt.ReadInstructions(prompt.InstructionSearch{Disk: d, Cwd: "/r", Root: "/r"})
			if len(agents.List) != 1 || len(skills.List) != 1 || len(templates) != 1 || len(in.Sources) != 1 {
				t.Errorf("used: %d agents, %d skills, %d prompts, %d instructions; want one of each", len(agents.List), len(skills.List), len(templates), len(in.Sources))
			}
			for kind, told := range map[string][]string{"bad.md": agents.Errors, "SKILL.md": skills.Errors, "bad.prompt.md": warnings, "bad.instructions.md": in.Warnings} {
				if len(told) != 1 || !strings.Contains(told[0], kind+": left out: front matter: ") || !strings.Contains(told[0], tc[1]) {
					t.Errorf("%s: the user is told %q, want %q", kind, told, tc[1])
				}
			}
			if _, err := d.ReadTemplate(prompt.Template{Name: "bad", Path: "/r/.github/prompts/bad.prompt.md"}, "", prompt.Use{Cwd: "/r"}); err == nil || !strings.Contains(err.Error(), tc[1]) {
				t.Errorf("the prompt itself: %v, want %q", err, tc[1])
			}
		})
	}
}

// TestTheFrontMatterOfAllFilesIsBounded: many files of the greatest size are not all parsed.
func TestTheFrontMatterOfAllFilesIsBounded(t *testing.T) {
	var files []string
	text := "---\ndescription: d\nx:\n" + strings.Repeat("- []\n", 3000) + "---\nbody\n"
	for i := range 64 {
		files = append(files, fmt.Sprintf("/r/.github/agents/a%02d.md", i), text)
	}
	found := prompt.FindAgents(prompt.AgentSearch{Disk: memory(t, files...), Root: "/r"})
	const used = (512 << 10) / (3000*5 + 17)
	if len(found.List) != used || len(found.Errors) != 64-used || !strings.Contains(found.Errors[0], "a34.md: left out: front matter: ") || !strings.Contains(found.Errors[0], "have more than 512.0 KB") {
		t.Errorf("%d agents, want %d; errors: %.300q", len(found.List), used, found.Errors)
	}
}

// TestAnErrorInFrontMatterNamesTheLineOfTheFile: the first line is the opening ---.
func TestAnErrorInFrontMatterNamesTheLineOfTheFile(t *testing.T) {
	found := prompt.FindAgents(prompt.AgentSearch{Disk: memory(t, "/r/.github/agents/a.md", "---\ndescription: d\nmodel: a: b\n---\nbody"), Root: "/r"})
	if len(found.Warnings) != 1 || !strings.Contains(found.Warnings[0], "line 3: mapping values are not allowed") {
		t.Errorf("warnings: %q", found.Warnings)
	}
}

// What the front matter of a file limits stays limited when it cannot be read: an agent has no tools, and not
// all of them; and the model may not call it if that may be forbidden.
func TestFrontMatterThatCannotBeReadLimits(t *testing.T) {
	const broken = "description: Use when: now\n"
	long := "x: " + strings.Repeat("y", 17<<10) + "\n"
	for _, tc := range []struct {
		name, front string
		tools       []string // nil: all
		infer       bool
		want        string // in a warning, or after "refused: " in an error
	}{
		{"a text that is read", broken + "tools: read, grep\n", []string{"view", "grep"}, true, "front matter: mapping values are not allowed"},
		{"no limit", broken, nil, true, "front matter: mapping values are not allowed"},
		{"a list", broken + "tools: [read]\n", []string{}, true, "its tools cannot be read, so it has none"},
		{"a list of lines", broken + "tools:\n- read\n", []string{}, true, "its tools cannot be read"},
		{"a block", broken + "tools: >\n  read\n", []string{}, true, "its tools cannot be read"},
		{"another name", broken + "\"tools\" : [read]\n", []string{}, true, "its tools cannot be read"},
		{"twice", "tools: [read]\ntools: \"*\"\n", []string{}, true, "its tools cannot be read"},
		{"in a table", "{tools: [read], description: Use: it}\n: x: y\n", []string{}, true, "its tools cannot be read"},
		{"an indented line", broken + "  tools: [read]\n", []string{}, true, "its tools cannot be read"},
		{"no call", broken + "infer: [\n", nil, false, "whether the model may call it"},
		{"no call by a newer name", broken + "disable-model-invocation: [true]\n", nil, false, "whether the model may call it"},
		{"too long", "tools: [read]\n" + long, nil, false, "refused: it is longer than 16.0 KB"},
		{"without an end", "", nil, false, "refused: it does not end"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text := "---\n" + tc.front + "---\nDo it.\n"
			if tc.front == "" {
				text = "---\ntools: [read]\n\nDo it.\n"
			}
			got := prompt.FindAgents(prompt.AgentSearch{Root: "/r", Disk: memory(t, "/r/.github/agents/a.md", text)})
			if want, refused := strings.CutPrefix(tc.want, "refused: "); refused {
				if len(got.List) != 0 || len(got.Errors) != 1 || !strings.Contains(got.Errors[0], "a.md: left out: front matter: "+want) {
					t.Errorf("%+v", got)
				}
				return
			}
			if len(got.List) != 1 || !strings.Contains(strings.Join(got.Warnings, "\n"), tc.want) {
				t.Fatalf("%+v", got)
			}
			a := got.List[0]
			if (a.Tools == nil) != (tc.tools == nil) || !slices.Equal(a.Tools, tc.tools) || a.Infer != tc.infer {
				t.Errorf("tools %q, infer %v", a.Tools, a.Infer)
			}
		})
	}
}
