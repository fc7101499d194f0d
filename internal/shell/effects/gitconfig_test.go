package effects_test

import (
	"os"
	"path/filepath"
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

// plain are the settings of a clone.
const plain = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n[remote \"origin\"]\n\turl = git@example.com:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"

// repositorySettings are settings of a repository, and the name of a hook in it.
var repositorySettings = []struct {
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

	{"what people set", plain + "[user]\n\tname = A\n[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n\tvscode-merge-base = origin/main\n" +
		"[alias]\n\tst = !git status\n[color]\n\tui = auto\n[submodule \"x\"]\n\tactive = true\n\turl = ../x.git\n\tupdate = rebase\n[credential]\n\thelper = store\n", "", false},
	{"a checkout action", plain + "[http \"https://example.com/\"]\n\textraheader = AUTHORIZATION: basic eA==\n[gc]\n\tauto = 0\n", "", false},
	{"comments and continuation lines", plain + "# [core] fsmonitor = x\n; y\n[user]\n\tname = \"A; # B\" ; c\n\temail = a\\\nb\n", "", false},
	{"no hooks", plain + "[core]\n\thooksPath = /dev/null\n", "", false},
	{"an include by condition", plain + "[includeIf \"gitdir:/\"]\n\tpath = evil\n", "", true},
	{"a comment that is none", plain + "[user] name = \"#\" \n[core] fsmonitor = ./evil #\n", "", true},
	{"a section in a quote", plain + "[user \"]\"]\nname = x\n[core]\nfsmonitor = ./evil\n", "", true},
	{"a value behind a continued key", plain + "[user]\nname = a\\\n[core]\n[core]\nfsmonitor = \"./e\"vil\n", "", true},
	{"a line that ends with a comment and a backslash", plain + "[core]\n# x \\\nfsmonitor = ./evil\n", "", true},
	{"text that git refuses", plain + "[core]\nfs monitor\n", "", true},
	{"a switch that begins like one", plain + "[core]\nfsmonitor = true;./evil\n[core]\nfsmonitor = \"true;./evil\"\n", "", true},
	{"a filter that begins like large files", plain + "[filter \"x\"]\nclean = \"git-lfs clean; ./evil\"\n", "", true},
	{"large files with another program", plain + "[filter \"lfs\"]\nprocess = \"git-lfs filter-process; ./evil\"\n", "", true},
	{"core.pager", plain + "[core]\npager = ./evil\n", "", true},
	{"pager.log", plain + "[pager]\nlog = ./evil\n", "", true},
	{"core.editor", plain + "[core]\neditor = ./evil\n", "", true},
	{"core.sshCommand", plain + "[core]\nsshCommand = ./evil\n", "", true},
	{"core.askPass", plain + "[core]\naskPass = ./evil\n", "", true},
	{"core.gitProxy", plain + "[core]\ngitProxy = ./evil\n", "", true},
	{"core.alternateRefsCommand", plain + "[core]\nalternateRefsCommand = ./evil\n", "", true},
	{"core.worktree", plain + "[core]\nworktree = /\n", "", true},
	{"core.bare", "[core]\nbare\n", "", true},
	{"core.attributesFile", plain + "[core]\nattributesFile = /x\n", "", true},
	{"a folder of hooks at home", plain + "[core]\nhooksPath = ~/x\n", "", true},
	{"merge.driver", plain + "[merge \"x\"]\ndriver = ./evil\n", "", true},
	{"diff.command", plain + "[diff \"x\"]\ncommand = ./evil\n", "", true},
	{"diff.submodule", plain + "[diff]\nsubmodule = diff\n", "", true},
	{"log.showSignature", plain + "[log]\nshowSignature\n", "", true},
	{"gpg.program", plain + "[gpg]\nprogram = ./evil\n", "", true},
	{"trailer", plain + "[trailer \"x\"]\ncommand = ./evil\n", "", true},
	{"interactive.diffFilter", plain + "[interactive]\ndiffFilter = ./evil\n", "", true},
	{"sequence.editor", plain + "[sequence]\neditor = ./evil\n", "", true},
	{"browser", plain + "[browser \"x\"]\ncmd = ./evil\n", "", true},
	{"man", plain + "[man \"x\"]\ncmd = ./evil\n", "", true},
	{"uploadpack.packObjectsHook", plain + "[uploadpack]\npackObjectsHook = ./evil\n", "", true},
	{"submodule.update", plain + "[submodule \"x\"]\nupdate = !./evil\n", "", true},
	{"status.submoduleSummary", plain + "[status]\nsubmoduleSummary\n", "", true},
	{"url.insteadOf", plain + "[url \"ext::sh -c evil\"]\ninsteadOf = git@example.com:\n", "", true},
	{"url.pushInsteadOf", plain + "[url \"ext::sh -c evil\"]\npushInsteadOf = git@example.com:\n", "", true},
	{"an address that is a program", plain + "[remote \"x\"]\nurl = \"e\"xt::sh\n", "", true},
	{"another helper", plain + "[remote \"x\"]\nurl = evil::x\n", "", true},
	{"blame.ignoreRevsFile", plain + "[blame]\n\tignoreRevsFile = x\n", "", true},
	{"a partial clone", plain + "[extensions]\npartialClone = origin\n", "", true},
	{"a promisor", plain + "[remote \"origin\"]\npromisor = true\n", "", true},
	{"remote.uploadpack", plain + "[remote \"origin\"]\nuploadpack = ./evil\n", "", true},
	{"remote.vcs", plain + "[remote \"origin\"]\nvcs = evil\n", "", true},
	{"a merge strategy", plain + "[branch \"main\"]\nmergeOptions = -s evil\n", "", true},
	{"gc.recentObjectsHook", plain + "[gc]\nrecentObjectsHook = ./evil\n", "", true},
	{"trace2", plain + "[trace2]\neventTarget = /x\n", "", true},
	{"an alias for a subcommand", plain + "[alias]\nwhatchanged = !./evil\n", "", true},
	{"a setting that git does not have yet", plain + "[hook \"x\"]\ncommand = ./evil\n", "", true},
}

// Even to show the state of a repository, git runs programs that its settings name. A
// rule that allows git does not allow those.
func TestRepositoriesWhoseSettingsRunPrograms(t *testing.T) {
	for _, tc := range repositorySettings {
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
		expect(t, tc.name+" by go", "go list ./...", dir, tc.asked)
		expect(t, tc.name+" by another path", "/usr/bin/git status", dir, true)
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

// go asks any version control system, and a repository of Mercurial names programs, too.
func TestOtherRepositories(t *testing.T) {
	dir := t.TempDir()
	repository(t, filepath.Join(dir, ".git"), "")
	expect(t, "git alone", "go list ./...", dir, false)
	if err := os.MkdirAll(filepath.Join(dir, "sub/.hg"), 0o755); err != nil {
		t.Fatal(err)
	}
	expect(t, "with Mercurial", "go list ./...", filepath.Join(dir, "sub"), true)
	expect(t, "with Mercurial, by git", "git status", filepath.Join(dir, "sub"), false)
}

func expect(t *testing.T, name, command, dir string, asked bool) {
	t.Helper()
	r := rules(t, "shell(git:*)")
	r.Folders.Primary = effects.RealPath(dir)
	r.Folders.More = []string{effects.RealPath(filepath.Dir(dir))}
	c := effects.CheckGitSettings(effects.Of(command, r.Folders.Primary, "/home/u", effects.RealPaths), r.Folders.Primary)
	d := r.Decide(permit.Request{Kind: permit.Shell, Tool: "bash", Command: c})
	if (d.Verdict != permit.Allow) != asked || asked && d.Why == "" {
		t.Errorf("%s: %s in %s: %v, %s", name, command, dir, d.Verdict, d.Why)
	}
}
