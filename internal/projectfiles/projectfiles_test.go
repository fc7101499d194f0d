package projectfiles_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/testing/golden"
)

// The page has the table of the program.
func TestThePageHasTheTable(t *testing.T) {
	golden.Part(t, "../../docs/project-files.md", "<!-- table -->\n", "<!-- end -->", projectfiles.Markdown())
}

// A path is found at any depth of a project, in any case, and what lies in a searched folder belongs
// to the folder's entry.
func TestWhatAPathIs(t *testing.T) {
	for _, tc := range []struct {
		path, entry string
		powers      projectfiles.Power
	}{
		{".mcp.json", ".mcp.json", projectfiles.Starts | projectfiles.Sends},
		{"sub/dir/.MCP.json", ".mcp.json", projectfiles.Starts | projectfiles.Sends},
		{".agents/agents/a.md", ".agents/agents/*.md", projectfiles.Starts | projectfiles.Sends},
		{".agents/agents", ".agents/agents/*.md", projectfiles.Starts | projectfiles.Sends},
		{"x/.github/skills/brew/scripts/run.sh", ".github/skills/*/SKILL.md", projectfiles.Grants},
		{".github/instructions/a/b/c.instructions.md", ".github/instructions/**/*.instructions.md", 0},
		{"AGENTS.md", "AGENTS.md", 0},
		{".git/HEAD", ".git/HEAD", 0},
		{".git/hooks/pre-commit", ".git", projectfiles.Sets},
		{"main.go", "", 0},
		{"agents/a.md", "", 0},
	} {
		got, found := projectfiles.InProject(tc.path)
		if got.Path != tc.entry || found != (tc.entry != "") || got.Powers != tc.powers {
			t.Errorf("%s is %q (%s), want %q (%s)", tc.path, got.Path, got.Powers, tc.entry, tc.powers)
		}
	}
	if got, _ := projectfiles.At("agents/a.md", projectfiles.Plugin); got.Kind != projectfiles.Agents {
		t.Errorf("agents/a.md of a plugin is %q", got.Kind)
	}
}

// Every entry says who has to trust it, and one with a power is never trusted by nobody. A file that
// has a power in a project is protected, or says why not.
func TestEveryPowerNeedsTrust(t *testing.T) {
	names := projectfiles.Protected()
	for _, e := range projectfiles.All() {
		if e.Trust == "" || e.Does == "" || (e.Powers != 0 && e.Trust == projectfiles.Nobody) {
			t.Errorf("%s of %s: %s needs trust in %q: %q", e.Path, e.In, e.Powers, e.Trust, e.Does)
		}
		inProject := slices.Contains([]projectfiles.Place{projectfiles.Root, projectfiles.Ends, projectfiles.Way, projectfiles.UserHome}, e.In)
		if inProject && e.Powers != 0 && (e.Plain != "") == slices.Contains(names, strings.ToLower(e.Folder())) {
			t.Errorf("%s of %s: protected as %q, or left out because %q?", e.Path, e.In, e.Folder(), e.Plain)
		}
	}
}

// A folder has the files with a power that need trust in it, each kind up to a limit.
func TestPresent(t *testing.T) {
	disk := fstest.MapFS{
		"p/.mcp.json": {}, "p/AGENTS.md": {}, "p/.github/hooks/a.json": {}, "p/.github/hooks/README": {},
		"p/.agents/agents/a.md": {}, "p/.claude/skills/s/SKILL.md": {}, "p/.claude/skills/none/x": {},
		"p/.claude/agents/a.md": {}, "p/.claude/agents/deep/er/b.md": {}, "p/.claude/agents/deep/c.txt": {},
	}
	found, more := projectfiles.Present(below{disk}, "p")
	var files []string
	for _, f := range found {
		files = append(files, f.File)
	}
	want := []string{".claude/skills/s/SKILL.md", ".agents/agents/a.md", ".claude/agents/a.md", ".claude/agents/deep/er/b.md", ".github/hooks/a.json", ".mcp.json"}
	if !slices.Equal(files, want) || more {
		t.Errorf("found %q, more: %v, want %q", files, more, want)
	}
	for i := range 120 {
		disk["p/.github/hooks/"+strings.Repeat("b", i+1)+".json"] = &fstest.MapFile{}
	}
	if found, more = projectfiles.Present(below{disk}, "p"); len(found) != 105 || !more {
		t.Errorf("found %d, more: %v, want 100 hooks and 5 others, and more", len(found), more)
	}
}

// below is a file system as [projectfiles.Disk] has it.
type below struct{ fstest.MapFS }

func (b below) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(b.MapFS, name) }
func (b below) Stat(name string) (fs.FileInfo, error)      { return fs.Stat(b.MapFS, name) }
