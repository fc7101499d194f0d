package prompt_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/prompt"
)

// A mention stays in the text, and the file that it names follows, with what that one imports.
func TestInstructionsImportFiles(t *testing.T) {
	in := prompt.ReadInstructions(prompt.InstructionSearch{
		Disk: memory(
			t,
			"/r/AGENTS.md", "See @docs/one.md, (and @docs/two.md).\n`@docs/code.md` ``@docs/code.md`` mail a@docs.md @alice @types/node\n```sh\n@docs/code.md\n```\n~~~\n@docs/code.md\n```\n@docs/code.md\n~~~\nAt the end: @docs/last.md",
			"/r/CLAUDE.md", "@AGENTS.md\n",
			"/r/docs/one.md", "ONE @two.md @../AGENTS.md",
			"/r/docs/two.md", "---\nowner: me\n---\nTWO",
			"/r/docs/code.md", "NOT CODE",
			"/r/docs/last.md", "LAST",
		), Cwd: "/r",
	})
	want := []string{
		"AGENTS.md nested-agents repository", "docs/one.md nested-agents repository", "docs/two.md nested-agents repository", "docs/last.md nested-agents repository",
	}
	if diff := cmp.Diff(want, names(in)); diff != "" || len(in.Warnings) > 0 {
		t.Errorf("sources (-want +got)\n%s\nwarnings: %q", diff, in.Warnings)
	}
	for _, part := range []string{"See @docs/one.md, (and", `<instructions from="docs/one.md" imported-by="AGENTS.md">` + "\nONE @two.md", "\nTWO\n", "\nLAST\n"} {
		if !strings.Contains(in.Text(), part) {
			t.Errorf("no %q in\n%s", part, in.Text())
		}
	}
	off := prompt.ReadInstructions(prompt.InstructionSearch{
		Disk: memory(t, "/r/AGENTS.md", "See @a.md", "/r/a.md", "IMPORTED"), Cwd: "/r", Disabled: []string{"nested-agents:AGENTS.md"},
	})
	if off.Text() != "" {
		t.Errorf("what a file imports is on although the file is off:\n%s", off.Text())
	}
}

// Imports are followed four files deep, and cycles once.
func TestImportsAreBounded(t *testing.T) {
	in := prompt.ReadInstructions(prompt.InstructionSearch{
		Disk: memory(
			t, "/r/AGENTS.md", "0 @1.md", "/r/1.md", "1 @2.md", "/r/2.md", "2 @3.md @AGENTS.md", "/r/3.md", "3 @4.md @1.md", "/r/4.md", "4 @5.md", "/r/5.md", "5",
		), Cwd: "/r",
	})
	want := []string{"AGENTS.md", "1.md", "2.md", "3.md", "4.md"}
	var got []string
	for _, s := range in.Sources {
		got = append(got, s.Name)
	}
	if !slices.Equal(got, want) || len(in.Warnings) != 1 || !strings.Contains(in.Warnings[0], "@5.md is not read, because imports are followed 4 files deep at most") {
		t.Errorf("got %q, %q", got, in.Warnings)
	}
}

// A text of a repository imports nothing from elsewhere. The user's own may, from the user's folders.
func TestImportsStayInside(t *testing.T) {
	d, root := real(
		t,
		"me/.ssh/config", "SECRET",
		"me/notes.md", "my notes",
		"me/.claude/CLAUDE.md", "mine @~/notes.md @../notes.md @/etc/passwd",
		"outside.md", "SECRET",
		"repo/AGENTS.md", "a @../outside.md b @~/.ssh/config c @linked.md d @missing.md e @folder",
		"repo/linked.md", "->../outside.md",
		"repo/folder/x", "",
	)
	in := prompt.ReadInstructions(prompt.InstructionSearch{
		Disk: d, Cwd: filepath.Join(root, "repo"), Root: filepath.Join(root, "repo"), UserHome: filepath.Join(root, "me"),
	})
	if text := in.Text(); strings.Contains(text, "SECRET") || strings.Count(text, "\nmy notes\n") != 1 || strings.Contains(text, "root:") {
		t.Errorf("got\n%s", text)
	}
	all := strings.Join(in.Warnings, "\n")
	for _, part := range []string{"@../outside.md is not read, because it is outside", "@~/.ssh/config is not read, because it is outside", "@linked.md is not read, because it is a link that leads out", "@missing.md is not read: there is no such file", "@/etc/passwd is not read"} {
		if !strings.Contains(all, part) {
			t.Errorf("no warning says %q:\n%s", part, all)
		}
	}
	if len(in.Warnings) != 5 {
		t.Errorf("%d warnings: %q", len(in.Warnings), in.Warnings)
	}
}

// A file that a rule denies is no import, also by another way.
func TestARuleHoldsForImports(t *testing.T) {
	in := prompt.ReadInstructions(prompt.InstructionSearch{
		Disk: memory(t, "/r/CLAUDE.md", "See @.env and @docs/a.md", "/r/.env", "SECRET", "/r/docs/a.md", "A @../.env"), Cwd: "/r",
		Withheld: func(path string) string {
			if path == "/r/.env" {
				return "the rule read(.env) denies it"
			}
			return ""
		},
	})
	if text := in.Text(); strings.Contains(text, "SECRET") || !strings.Contains(text, "\nA @../.env\n") {
		t.Errorf("got\n%s", text)
	}
	want := []string{"instructions /r/CLAUDE.md: @.env is not read: the rule read(.env) denies it", "instructions /r/docs/a.md: @../.env is not read: the rule read(.env) denies it"}
	if diff := cmp.Diff(want, in.Warnings); diff != "" {
		t.Errorf("warnings (-want +got)\n%s", diff)
	}
}
