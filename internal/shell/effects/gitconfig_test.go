package effects_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/shell/effects"
)

// repository makes a folder that git treats as a repository with these settings.
func repository(t *testing.T, git, config string) {
	t.Helper()
	for _, dir := range []string{"objects", "refs", "hooks"} {
		if err := os.MkdirAll(filepath.Join(git, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"HEAD": "ref: refs/heads/main\n", "config": config} {
		if err := os.WriteFile(filepath.Join(git, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Even to show the state of a repository, git runs programs that its settings name. A
// rule that allows git does not allow those.
func TestRepositoriesWhoseSettingsRunPrograms(t *testing.T) {
	plain := "[core]\n\trepositoryformatversion = 0\n\tbare = false\n[remote \"origin\"]\n\turl = git@example.com:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
	for _, tc := range []struct {
		name, config, hook string
		asked              bool
	}{
		{"a clone", plain, "", false},
		{"large files", plain + "[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n\tprocess = git-lfs filter-process\n", "", false},
		{"husky", plain + "[core]\n\thooksPath = .husky/_\n\tfsmonitor = true\n", "pre-commit", false},
		{"fsmonitor", plain + "[core]\n\tfsmonitor = ./evil\n", "", true},
		{"fsmonitor in the line of its section", "[core] FSMonitor = \"./evil\"\n", "", true},
		{"two brackets in a line", "[core]fsmonitor=./evil # ]\n", "", true},
		{"a mark at the beginning", "\ufeff[core]fsmonitor=./evil\n", "", true},
		{"a value in the next line", "[core]\nfsmonitor = \\\n./evil\n", "", true},
		{"diff.external", plain + "[diff]\n\texternal = ./evil\n", "", true},
		{"textconv", plain + "[diff \"x\"]\n\ttextconv = ./evil\n", "", true},
		{"a filter", plain + "[filter \"x\"]\n\tclean = ./evil\n", "", true},
		{"gpg", plain + "[gpg \"ssh\"]\n\tprogram = ./evil\n", "", true},
		{"an include", plain + "[include]\n\tpath = ../evil\n", "", true},
		{"a helper", plain + "[credential]\n\thelper = !evil\n", "", true},
		{"a hook", plain, "post-index-change", true},
	} {
		dir := t.TempDir()
		git := filepath.Join(dir, ".git")
		repository(t, git, tc.config)
		if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
			t.Fatal(err)
		}
		if tc.hook != "" {
			if err := os.WriteFile(filepath.Join(git, "hooks", tc.hook), nil, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		expect(t, tc.name, "git status", filepath.Join(dir, "sub"), tc.asked)
		expect(t, tc.name, "git log -p", dir, tc.asked)
		expect(t, tc.name, "git -C sub diff", dir, tc.asked)
		expect(t, tc.name+" without git", "ls", dir, false)
	}
}

// A bare repository can be among the files of another one. Git uses it as soon as the
// shell is inside it.
func TestBareRepositoriesAmongFiles(t *testing.T) {
	dir := t.TempDir()
	repository(t, filepath.Join(dir, ".git"), "")
	repository(t, filepath.Join(dir, "docs"), "[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = ./evil\n")
	expect(t, "inside", "git status", filepath.Join(dir, "docs"), true)
	expect(t, "by cd", "cd docs && git status", dir, true)
	expect(t, "by -C", "git -C docs status", dir, true)
	expect(t, "beside it", "git status", dir, false)
}

func expect(t *testing.T, name, command, dir string, asked bool) {
	t.Helper()
	r := rules(t, "shell(git:*)")
	r.Folders.Primary = effects.RealPath(dir)
	r.Folders.More = []string{effects.RealPath(filepath.Dir(dir))}
	c := effects.CheckGitSettings(effects.Of(command, r.Folders.Primary, "/home/u", effects.RealPaths), r.Folders.Primary)
	d := r.Decide(permit.Request{Kind: permit.Shell, Tool: "bash", Command: c})
	if (d.Verdict != permit.Allow) != asked || asked && !strings.Contains(d.Why, dir[:5]) {
		t.Errorf("%s: %s in %s: %v, %s", name, command, dir, d.Verdict, d.Why)
	}
}
