package prompt_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/prompt"
)

// Instructions for some files are delivered with the first of them, and those of a folder with its first file.
func TestInstructionsOnDemand(t *testing.T) {
	where := prompt.InstructionSearch{
		Disk: memory(
			t,
			"/r/AGENTS.md", "always",
			"/r/.claude/rules/api.md", "---\npaths:\n- 'src/**/*.{ts,tsx}'\n---\nAPI @detail.md",
			"/r/.claude/rules/detail.md", "---\npaths: never/**\n---\nDETAIL",
			"/r/.github/instructions/go.instructions.md", "---\napplyTo: '*.go'\n---\nGO",
			"/r/src/AGENTS.md", "SRC",
			"/r/src/deep/CLAUDE.md", "DEEP",
			"/r/src/deep/CLAUDE.local.md", "LOCAL",
			"/r/src/deep/more/AGENTS.md", "always",
			"/r/src/deep/more/.claude/CLAUDE.md", "MORE",
			"/r/other/AGENTS.md", "OTHER",
		), Cwd: "/r",
	}
	in := prompt.ReadInstructions(where)
	if text := in.Text(); strings.Contains(text, "API") || strings.Contains(text, "SRC") || !strings.Contains(text, "- src/**/*.{ts,tsx}: /r/.claude/rules/api.md") {
		t.Errorf("at the start:\n%s", text)
	}
	for _, tc := range []struct {
		files, given, want []string
	}{
		{[]string{"/r/README.md"}, nil, nil},
		{[]string{"/elsewhere/src/a.ts"}, nil, nil},
		{[]string{"/r/src/a.ts"}, nil, []string{"model:.claude/rules/api.md", "model:.claude/rules/detail.md", "nested-agents:src/AGENTS.md"}},
		{[]string{"/r/src/a.ts"}, []string{"model:.claude/rules/api.md", "nested-agents:src/AGENTS.md"}, []string{"model:.claude/rules/detail.md"}},
		{[]string{"/r/other/x/main.go"}, nil, []string{"vscode:.github/instructions/go.instructions.md", "nested-agents:other/AGENTS.md"}},
		{
			[]string{"/r/src/deep/more/x", "/r/src/deep/y"},
			nil,
			[]string{"nested-agents:src/AGENTS.md", "model:src/deep/CLAUDE.md", "model:src/deep/CLAUDE.local.md", "model:src/deep/more/.claude/CLAUDE.md"},
		},
		{[]string{"/r/src/AGENTS.md"}, nil, nil}, // it was just read
	} {
		out := in.For(where, tc.files, tc.given)
		if diff := cmp.Diff(tc.want, out.IDs); diff != "" || (out.Text == "") != (tc.want == nil) || len(out.Warnings) > 0 {
			t.Errorf("%q (-want +got)\n%s%s\n%q", tc.files, diff, out.Text, out.Warnings)
		}
	}
	out := in.For(where, []string{"/r/src/a.ts"}, nil)
	for _, part := range []string{"<custom_instructions>\n", "files that you have just read or changed", "\nAPI @detail.md\n", "\nDETAIL\n", `<instructions from="src/AGENTS.md">` + "\nSRC\n"} {
		if !strings.Contains(out.Text, part) {
			t.Errorf("no %q in\n%s", part, out.Text)
		}
	}
	where.Skip = true
	if out := prompt.ReadInstructions(where).For(where, []string{"/r/src/a.ts"}, nil); out.Text != "" {
		t.Errorf("although files are skipped:\n%s", out.Text)
	}
}

// A pattern that would cost too much is compared with nothing, and is named.
func TestAPatternOfTooManyAlternativesIsNamed(t *testing.T) {
	where := prompt.InstructionSearch{
		Disk: memory(t, "/r/.claude/rules/x.md", "---\npaths: '"+strings.Repeat("{a,a}", 40)+"b'\n---\nX"), Cwd: "/r",
	}
	in := prompt.ReadInstructions(where)
	if out := in.For(where, []string{"/r/" + strings.Repeat("a", 40)}, nil); out.Text != "" {
		t.Errorf("got\n%s", out.Text)
	}
	if len(in.Warnings) != 1 || !strings.Contains(in.Warnings[0], "cannot be compared with files") {
		t.Errorf("warnings: %q", in.Warnings)
	}
}
