package prompt_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/prompt"
)

// names are the sources as they are shown, with what kind and where.
func names(in prompt.Instructions) []string {
	var out []string
	for _, s := range in.Sources {
		out = append(out, s.Name+" "+s.Kind+" "+s.Place)
	}
	return out
}

// instructionFiles has paths and contents: all places where instructions are read, and some
// where they are not.
var instructionFiles = []string{
	"/home/copilot-instructions.md", "mine",
	"/home/instructions/a/go.instructions.md", "mine too",
	"/repo/.github/copilot-instructions.md", "ours",
	"/repo/.github/instructions/b.instructions.md", "---\napplyTo: '**'\n---\nfor all\n",
	"/repo/.github/instructions/deep/a.instructions.md", "---\napplyTo: '*.{ts,js}, src/**'\ndescription: Types\n---\nTYPES\n",
	"/repo/.github/instructions/notes.md", "NOT THIS",
	"/repo/AGENTS.md", "root",
	"/repo/CLAUDE.md", "beside agents",
	"/repo/CLAUDE.local.md", "only here",
	"/repo/.claude/CLAUDE.md", "in its folder",
	"/repo/.claude/rules/deep/rule.md", "a rule",
	"/repo/GEMINI.md", "last of the repository",
	"/me/.claude/CLAUDE.md", "mine for Claude",
	"/repo/app/CLAUDE.md", "between",
	"/repo/app/web/AGENTS.md", "here",
	"/repo/app/web/.github/copilot-instructions.md", "ours, here",
	"/repo/app/.github/copilot-instructions.md", "NOT BETWEEN",
	"/repo/other/AGENTS.md", "NOT ASIDE",
	"/AGENTS.md", "NOT ABOVE",
	"/extra/AGENTS.md", "extra agents",
	"/extra/x.instructions.md", "extra own",
	"/extra/.github/instructions/y.instructions.md", "extra deep",
}

func TestInstructionsAreFoundInOrder(t *testing.T) {
	d := memory(t, instructionFiles...)
	in := prompt.ReadInstructions(prompt.InstructionSearch{
		Disk: d, Cwd: "/repo/app/web", Root: "/repo", Home: "/home", UserHome: "/me",
		Directories: []string{"../../../extra", "/gone"}, Organization: " company \n",
	})
	want := []string{
		"/me/.claude/CLAUDE.md home user",
		"/home/copilot-instructions.md home user",
		"/home/instructions/a/go.instructions.md home user",
		".github/copilot-instructions.md repo repository",
		".github/instructions/b.instructions.md vscode repository",
		".github/instructions/deep/a.instructions.md vscode repository",
		"app/web/.github/copilot-instructions.md repo working-directory",
		"AGENTS.md nested-agents repository",
		"CLAUDE.md model repository",
		".claude/CLAUDE.md model repository",
		".claude/rules/deep/rule.md model repository",
		"CLAUDE.local.md model repository",
		"app/CLAUDE.md model working-directory",
		"app/web/AGENTS.md nested-agents working-directory",
		"GEMINI.md model repository",
		"/extra/AGENTS.md nested-agents user",
		"/extra/x.instructions.md child-instructions user",
		"/extra/.github/instructions/y.instructions.md child-instructions user",
	}
	if diff := cmp.Diff(want, names(in)); diff != "" {
		t.Errorf("sources (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"instruction directory /gone: not found"}, in.Warnings); diff != "" {
		t.Error(diff)
	}
	text := in.Text()
	at := 0
	for _, want := range []string{
		"<custom_instructions>\n", "<instructions from=\"the organization\">\ncompany\n</instructions>", "\nmine\n", "\nmine too\n",
		"<instructions from=\".github/copilot-instructions.md\">\nours\n", "\nfor all\n", "\nours, here\n", "\nroot\n", "\nbeside agents\n", "\nin its folder\n", "\na rule\n", "\nonly here\n", "\nbetween\n", "\nhere\n", "\nlast of the repository\n",
		"\nextra agents\n", "\nextra own\n", "\nextra deep\n",
		"\n- *.{ts,js}, src/**: /repo/.github/instructions/deep/a.instructions.md (Types)\n</custom_instructions>",
	} {
		i := strings.Index(text[at:], want)
		if i < 0 {
			t.Fatalf("no %q, or not in its place, in\n%s", want, text)
		}
		at += i
	}
	if strings.Contains(text, "NOT") || strings.Contains(text, "TYPES") || strings.Contains(text, "applyTo") {
		t.Errorf("it says too much:\n%s", text)
	}
	w := in.Wire()[5]
	if diff := cmp.Diff([]string{"*.{ts,js}", "src/**"}, w.ApplyTo); diff != "" || *w.Description != "Types" ||
		!strings.Contains(w.Content, "applyTo") || w.ID != "vscode:.github/instructions/deep/a.instructions.md" {
		t.Errorf("on the wire: %+v", w)
	}
}

func TestInstructionsCanBeTurnedOff(t *testing.T) {
	d := memory(t, "/r/AGENTS.md", "agents", "/r/.github/copilot-instructions.md", "copilot")
	skipped := prompt.ReadInstructions(prompt.InstructionSearch{Disk: d, Cwd: "/r", Skip: true, Organization: "company"})
	if got := skipped.Text(); !strings.Contains(got, "company") || strings.Contains(got, "agents") || skipped.Wire() == nil || len(skipped.Wire()) > 0 {
		t.Errorf("skipped: %q", got)
	}
	in := prompt.ReadInstructions(prompt.InstructionSearch{Disk: d, Cwd: "/r", Disabled: []string{"nested-agents:AGENTS.md"}})
	if got := in.Text(); strings.Contains(got, "agents\n") || !strings.Contains(got, "copilot\n") || len(in.Sources) != 2 {
		t.Errorf("one disabled: %q", got)
	}
	if got := prompt.ReadInstructions(prompt.InstructionSearch{Disk: d, Cwd: "/elsewhere"}).Text(); got != "" {
		t.Errorf("none at all: %q", got)
	}
	if got := prompt.ReadInstructions(prompt.InstructionSearch{Disk: d, Cwd: "/r", Root: "/r/sub"}); len(got.Sources) != 2 || got.Sources[0].Place != "repository" {
		t.Errorf("a root below the working directory: %+v", got.Sources)
	}
	if got := prompt.ReadInstructions(prompt.InstructionSearch{}).Text(); got != "" {
		t.Errorf("the zero value: %q", got)
	}
}

func TestInstructionsThatCannotBeTakenAsTheyAre(t *testing.T) {
	long := strings.Repeat("x", 40<<10)
	d := memory(
		t,
		"/r/AGENTS.md", "\ufeffone\r\ntwo \xff.",
		"/r/a/AGENTS.md", "one\ntwo .", // the same text
		"/r/a/b/AGENTS.md", "bin\x00ary",
		"/r/a/b/c/AGENTS.md", "secret",
		"/r/.github/copilot-instructions.md/x", "a folder in the place of a file",
		"/r/.github/instructions/bad.instructions.md", "---\napplyTo: [\ndescription: Use: this\n---\nbody",
		"/r/.github/instructions/star.instructions.md", "---\napplyTo: **/*.go\n---\nGO",
		"/r/.github/instructions/long.instructions.md", long,
		"/r/.github/instructions/open.instructions.md", "---\napplyTo: x\nnever closed",
		"/r/.github/instructions/empty.instructions.md", "---\na: b\n---\n \n",
	)
	in := prompt.ReadInstructions(prompt.InstructionSearch{Disk: refusing(d, "/r/a/b/c/AGENTS.md"), Cwd: "/r/a/b/c", Root: "/r"})
	text := in.Text()
	for _, want := range []string{
		">\none\ntwo .\n<", "x\n[Cut after 32.0 KB. Read the rest of /r/.github/instructions/long.instructions.md if you need it.]",
		"\nbody\n", "- **/*.go: /r/.github/instructions/star.instructions.md\n", "---\napplyTo: x\nnever closed\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %q", want, strings.ReplaceAll(text, long[:1<<10], ""))
		}
	}
	if n := strings.Count(text, "two ."); n != 1 {
		t.Errorf("the same text is there %d times", n)
	}
	for _, want := range []string{"bad.instructions.md: front matter: ", "/r/a/b/AGENTS.md: not a text file", "/r/a/b/c/AGENTS.md: no permission", "copilot-instructions.md: not a regular file"} {
		if !strings.Contains(strings.Join(in.Warnings, "\n"), want) {
			t.Errorf("no warning %q in %q", want, in.Warnings)
		}
	}
}

func TestInstructionsAreBounded(t *testing.T) {
	var files []string
	for i := range 80 {
		files = append(files, fmt.Sprintf("/r/.github/instructions/%02d.instructions.md", i), fmt.Sprintf("%02d", i)+strings.Repeat("y", 10<<10))
	}
	files = append(files, "/r/.github/instructions/1/2/3/4/5/6/7/x.instructions.md", "deep")
	in := prompt.ReadInstructions(prompt.InstructionSearch{Disk: memory(t, files...), Cwd: "/r"})
	text := in.Text()
	if len(in.Sources) != 64 || len(text) > 150<<10 {
		t.Errorf("%d sources, %d bytes", len(in.Sources), len(text))
	}
	for _, want := range []string{"16 more instruction files were left out", "too deep"} {
		if !strings.Contains(strings.Join(in.Warnings, "\n"), want) {
			t.Errorf("no warning %q in %q", want, in.Warnings)
		}
	}
	if !strings.Contains(text, "[Left out: there are too many instructions. Read /r/.github/instructions/63.instructions.md before you begin.]") {
		t.Error("the text does not say what was left out")
	}
}

func TestInstructionsDoNotFollowLinksOutOfTheProject(t *testing.T) {
	d, root := real(
		t,
		"secret/key.md", "SECRET",
		"repo/AGENTS.md", "->../secret/key.md",
		"repo/docs/agents.md", "shared",
		"repo/app/AGENTS.md", "->../docs/agents.md",
		"repo/.github/instructions", "->../../secret",
		"secret/x.instructions.md", "SECRET TOO",
		"dotfiles/mine.md", "mine",
		"home/copilot-instructions.md", "->../dotfiles/mine.md",
		"repo/app/CLAUDE.md", "->AGENTS.md",
	)
	in := prompt.ReadInstructions(prompt.InstructionSearch{
		Disk: d, Cwd: filepath.Join(root, "repo/app"), Root: filepath.Join(root, "repo"), Home: filepath.Join(root, "home"),
	})
	text := in.Text()
	if strings.Contains(text, "SECRET") || !strings.Contains(text, "shared") || !strings.Contains(text, "\nmine\n") {
		t.Errorf("got %s", text)
	}
	if n := strings.Count(strings.Join(in.Warnings, "\n"), "a link that leads out"); n != 2 {
		t.Errorf("%d warnings, want 2: %q", n, in.Warnings)
	}
}
