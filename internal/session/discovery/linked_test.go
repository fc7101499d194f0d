package discovery_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/tree"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Links in the places of files with a power are followed, each element of a path and whether the end
// exists or not. Links in the places of text are not.
func TestWhereLinksLead(t *testing.T) {
	top, err := tree.Resolve(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{
		".mcp.json": "config/servers.json", ".github": "ci", "ci/agents": "../docs/ag", "docs/ag/a.md": "../a.md", "docs/ag/a.txt": "../a.txt",
		".agents/skills/brew": "../../sk", "sk/SKILL.md": "../text.md", "AGENTS.md": "CLAUDE.md",
		"a/b/c/.vscode": "editor", "a/b/c/d/.vscode": "editor", ".claude/commands": "cmds",
		".sidestick": ".sidestick", // leads nowhere
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(top, link)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.FromSlash(target), filepath.Join(top, link)); err != nil {
			t.Skip("this system allows no links: ", err)
		}
	}
	resolve := func(path string) string { real, _ := tree.Resolve(path); return real }
	var got []string
	for _, end := range projectfiles.LinkedBelow(vfs.OS{}, resolve, top) {
		relative, _ := filepath.Rel(top, end)
		got = append(got, filepath.ToSlash(relative))
	}
	slices.Sort(got)
	want := []string{".claude/cmds", "a/b/c/editor/mcp.json", "ci/copilot/settings.json", "ci/copilot/settings.local.json", "ci/hooks", "ci/prompts", "ci/skills", "config/servers.json", "docs/a.md", "docs/ag", "sk", "text.md"}
	if got = slices.Compact(got); !slices.Equal(got, want) {
		t.Errorf("links lead to %q, want %q", got, want)
	}
}
