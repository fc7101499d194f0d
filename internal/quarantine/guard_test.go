package quarantine_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/quarantine"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// project is a folder of the user with a session that works in it.
type project struct {
	t      *testing.T
	dir    string
	home   string
	state  string // where sandboxes keep their caches
	store  *quarantine.Store
	guard  *quarantine.Guard
	policy sandbox.Policy
}

func newProject(t *testing.T, before ...string) *project {
	t.Helper()
	x := &project{t: t, dir: filepath.Join(t.TempDir(), "work"), home: filepath.Join(t.TempDir(), "quarantine"), state: t.TempDir()}
	x.store = quarantine.Open(vfs.OS{}, x.home)
	x.policy = sandbox.Policy{
		Mode: sandbox.WorkspaceWrite, Folders: []string{x.dir},
		ProtectNames: []string{".envrc", ".vscode", "*.code-workspace", ".config/git", ".github/hooks", ".mcp.json", ".npmrc"},
	}
	x.write(before...)
	if err := os.MkdirAll(x.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	x.open()
	return x
}

// open begins a session.
func (x *project) open() {
	boxes := sandbox.NewHost(sandbox.Options{State: x.state}).Boxes(x.t.TempDir())
	x.guard = x.store.Guard(quarantine.Options{Boxes: boxes, Servers: boxes, Protected: x.policy.ProtectNames, Runs: runs})
	x.t.Cleanup(x.guard.Close)
}

// write makes files: "name", "name=text", or "name->end" for a link.
func (x *project) write(names ...string) {
	x.t.Helper()
	for _, name := range names {
		name, text, _ := strings.Cut(name, "=")
		name, end, link := strings.Cut(name, "->")
		file := filepath.Join(x.dir, name)
		err := os.MkdirAll(filepath.Dir(file), 0o755)
		if link {
			err = errors.Join(err, os.Symlink(end, file))
		} else {
			err = errors.Join(err, os.WriteFile(file, []byte(strings.ReplaceAll(text, `\n`, "\n")), 0o644))
		}
		if err != nil {
			x.t.Fatal(err)
		}
	}
}

// command runs a command of the model that makes files.
func (x *project) command(by string, names ...string) quarantine.Found {
	x.t.Helper()
	end := x.guard.Begin(x.policy)
	x.write(names...)
	return end(by)
}

// aside are the paths that were moved aside, below the project.
func (x *project) aside(f quarantine.Found) (names []string) {
	for _, i := range f.Aside {
		names = append(names, strings.TrimPrefix(i.Path, x.dir+"/"))
		if _, err := os.Lstat(i.Path); err == nil {
			x.t.Errorf("%s is still there", i.Path)
		}
		if _, err := os.Lstat(i.Aside); err != nil && !errors.Is(err, fs.ErrPermission) {
			x.t.Errorf("%s: %v", i.Path, err)
		}
	}
	return names
}

// runs says whether a repository runs programs, as far as these tests have some that do; package effects
// really does it.
func runs(path string) string {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink != 0 {
		return "it is a link"
	}
	git := filepath.Dir(path)
	if filepath.Base(path) != "HEAD" {
		git = path
	}
	if text, err := os.ReadFile(path); err == nil && git == path {
		git = filepath.Join(filepath.Dir(path), strings.TrimPrefix(strings.TrimSpace(string(text)), "gitdir: "))
	}
	if _, err := os.Lstat(filepath.Join(git, "HEAD")); err != nil {
		return "" // git takes it for no repository
	}
	config, _ := os.ReadFile(filepath.Join(git, "config"))
	hooks, _ := filepath.Glob(filepath.Join(git, "hooks/*"))
	isHook := func(name string) bool { return filepath.Ext(name) != ".sample" }
	if strings.Contains(string(config), "fsmonitor") || slices.ContainsFunc(hooks, isHook) {
		return "git runs a program"
	}
	return ""
}

const (
	evil     = "config=[core]\\nfsmonitor = ./evil"
	harmless = "config=[core]\\nbare = false"
)

// repository are the files of a repository in a folder.
func repository(folder, config string) []string {
	return []string{folder + "/HEAD=ref: refs/heads/main\\n", folder + "/objects/info/x", folder + "/refs/heads/x", folder + "/" + config, folder + "/hooks/pre-commit.sample"}
}

func TestWhatACommandMakesThatActsIsMovedAside(t *testing.T) {
	own := append(repository(".git", harmless), ".git/hooks/pre-push")
	for name, row := range map[string]struct {
		before, made, aside []string
	}{
		"a file that programs start something from": {nil, []string{"sub/.envrc=evil", "a.txt"}, []string{"sub/.envrc"}},
		"in another case":                         {nil, []string{"sub/.ENVRC"}, []string{"sub/.ENVRC"}},
		"a folder for an editor":                  {nil, []string{".vscode/tasks.json", ".vscode/settings.json"}, []string{".vscode"}},
		"what was there before stays":             {[]string{".envrc", ".vscode/a"}, []string{".vscode/b", "x.code-workspace"}, []string{"x.code-workspace"}},
		"a nested repository that runs programs":  {own, repository("sub/.git", evil), []string{"sub/.git/HEAD"}},
		"one that runs none":                      {own, repository("sub/.git", harmless), nil},
		"one with a hook":                         {own, append(repository("sub/.git", harmless), "sub/.git/hooks/post-checkout"), []string{"sub/.git/HEAD"}},
		"a bare one":                              {own, repository("docs", "config=[core]\\nbare = true\\nfsmonitor = x"), []string{"docs/HEAD"}},
		"a bare one that runs none":               {own, repository("docs", "config=[core]\\nbare = true"), nil},
		"a bare one in node_modules":              {own, repository("node_modules/a", evil), []string{"node_modules/a/HEAD"}},
		"a bare one that a folder becomes":        {append(own, "docs/HEAD=ref: refs/heads/main", "docs/objects/x", "docs/"+evil), []string{"docs/refs/x"}, []string{"docs/HEAD"}},
		"a file that leads to a repository":       {own, append(repository("x", evil), "sub/.git=gitdir: ../x"), []string{"sub/.git", "x/HEAD"}},
		"a link that is called .git":              {own, append(repository("x", harmless), "sub/.git->../x"), []string{"sub/.git"}},
		"the whole repository is new":             {nil, repository(".git", evil), []string{".git/HEAD"}},
		"git init":                                {nil, repository(".git", harmless), nil},
		"files of git that git does not make":     {own, []string{".git/commondir=../x", ".git/config.worktree"}, []string{".git/commondir", ".git/config.worktree"}},
		"a link with such a name":                 {[]string{"x"}, []string{".envrc->x"}, []string{".envrc"}},
		"a link in place of a folder on the way":  {[]string{"dots/git/config"}, []string{".config->dots"}, []string{".config"}},
		"such a link that leads to nothing of it": {[]string{"dots/x"}, []string{".config->dots"}, nil},
		"a rebase that would run a command":       {own, []string{".git/rebase-merge/git-rebase-todo=pick 1 a\\nexec ./evil.sh\\n"}, []string{".git/rebase-merge/git-rebase-todo"}},
		"one that was told to":                    {own, []string{".git/rebase-merge/git-rebase-todo=pick 1 a\\nexec make test\\n"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			x := newProject(t, row.before...)
			got := x.aside(x.command("git rebase -x 'make test' main", row.made...))
			if diff := cmp.Diff(row.aside, got); diff != "" {
				t.Errorf("moved aside (-want +got):\n%s", diff)
			}
			if more := x.aside(x.command("true")); len(more) > 0 {
				t.Errorf("the next command: %q", more)
			}
		})
	}
}

// What the user makes between two commands is the user's.
func TestWhatTheUserMakesStays(t *testing.T) {
	x := newProject(t)
	x.command("true")
	x.write(".envrc")
	if got := x.aside(x.command("true", "a.txt")); len(got) > 0 {
		t.Errorf("moved aside: %q", got)
	}
}

// A repository that did not act is looked at again, because no sandbox that runs covers it.
func TestARepositoryThatActsLaterIsMovedAside(t *testing.T) {
	x := newProject(t)
	if got := x.aside(x.command("git init sub", repository("sub/.git", harmless)...)); len(got) > 0 {
		t.Fatal(got)
	}
	if got := x.aside(x.command("echo", "sub/.git/"+evil)); !slices.Equal(got, []string{"sub/.git/HEAD"}) {
		t.Errorf("moved aside: %q", got)
	}
}

// A link that a command replaces leads again where it led.
func TestAReplacedLinkIsMadeAgain(t *testing.T) {
	x := newProject(t, "good", ".envrc->good")
	end := x.guard.Begin(x.policy)
	if err := os.Remove(filepath.Join(x.dir, ".envrc")); err != nil {
		t.Fatal(err)
	}
	x.write("bad", ".envrc->bad")
	found := end("ln")
	if len(found.Aside) != 1 {
		t.Fatalf("%+v", found)
	}
	if to, err := os.Readlink(filepath.Join(x.dir, ".envrc")); to != "good" {
		t.Errorf("%q, %v", to, err)
	}
}

func TestFilesOfBuildsAreNamed(t *testing.T) {
	x := newProject(t, "package.json={}", "b/Makefile")
	x.command("true")
	found := x.command("npm pkg set", "package.json={1}", "c/conftest.py", "node_modules/a/package.json")
	want := []string{filepath.Join(x.dir, "c/conftest.py"), filepath.Join(x.dir, "package.json")}
	if diff := cmp.Diff(want, found.Builds); diff != "" || len(found.Aside) > 0 {
		t.Errorf("%s, %+v", diff, found.Aside)
	}
}

// A file tool writes a repository file by file; the last one completes it.
func TestFileToolsCompleteARepository(t *testing.T) {
	x := newProject(t)
	for _, name := range repository("docs", evil) {
		x.write(name)
		file, _, _ := strings.Cut(name, "=")
		found := x.guard.Written(filepath.Join(x.dir, file), []string{x.dir}, "create")
		if whole := file == "docs/config"; whole != (len(found.Aside) == 1) {
			t.Errorf("%s: %+v", file, found)
		}
	}
	x.guard.Written("/file", []string{"/"}, "create") // the last folder is the one above itself
	// What the user has approved stays, also while a command runs.
	end := x.guard.Begin(x.policy)
	x.write("sub/.envrc")
	x.guard.Written(filepath.Join(x.dir, "sub/.envrc"), []string{x.dir}, "create")
	if got := x.aside(end("sleep 1")); len(got) > 0 {
		t.Errorf("moved aside: %q", got)
	}
}

func TestTheUserTakesSomethingBack(t *testing.T) {
	x := newProject(t)
	x.command("evil", ".envrc=one", "sub/.envrc=two")
	x.command("evil", repository("docs", evil)...)
	items, err := x.store.List()
	if err != nil || len(items) != 3 {
		t.Fatalf("%+v, %v", items, err)
	}
	envrc := filepath.Join(x.dir, ".envrc")
	if i, err := x.store.Allow(envrc, false); err != nil || i.Path != envrc {
		t.Fatal(i, err)
	}
	if text, err := os.ReadFile(envrc); string(text) != "one" {
		t.Errorf("%q, %v", text, err)
	}
	// It stays, also for a command that runs meanwhile, until its content changes.
	if got := x.aside(x.command("true")); len(got) > 0 {
		t.Errorf("moved aside again: %q", got)
	}
	other := filepath.Join(x.dir, "sub/.envrc")
	x.write("sub/.envrc.untrusted=three")
	if _, err := x.store.Allow(other, false); fault.KindOf(err) != fault.Conflict {
		t.Errorf("its content has changed: %v", err)
	}
	if _, err := x.store.Allow(other+".untrusted", true); err != nil {
		t.Error(err)
	}
	head := filepath.Join(x.dir, "docs/HEAD")
	x.write("docs/HEAD")
	if _, err := x.store.Allow(head, true); fault.KindOf(err) != fault.Conflict {
		t.Errorf("there is another file: %v", err)
	}
	if _, err := x.store.Forget(head); err != nil {
		t.Error(err)
	}
	if _, err := x.store.Allow(head, true); fault.KindOf(err) != fault.NotFound {
		t.Error(err)
	}
}

// A session is killed during a command. The next one looks in its place, and not at what the user has had before.
func TestASessionThatWasKilled(t *testing.T) {
	x := newProject(t, ".npmrc")
	boxes := sandbox.NewHost(sandbox.Options{}).Boxes(t.TempDir())
	disk := &dying{}
	killed := quarantine.Open(disk, x.home).Guard(quarantine.Options{Boxes: boxes, Servers: boxes, Runs: runs})
	end := killed.Begin(x.policy)
	x.write(".envrc")
	if got := x.aside(x.command("true")); len(got) > 0 {
		t.Errorf("moved aside while the other session lives: %q", got)
	}
	_ = end
	disk.die()
	x.open()
	if got := x.aside(x.command("true")); !slices.Equal(got, []string{".envrc"}) {
		t.Errorf("moved aside: %q", got)
	}
	x.open()
	if got := x.aside(x.command("true")); len(got) > 0 {
		t.Errorf("a second time: %q", got)
	}
}

// dying is the disk of a process that is killed: its locks are then free.
type dying struct {
	vfs.OS
	locks []vfs.File
}

// OpenFile implements [vfs.FS].
func (d *dying) OpenFile(name string, flag int, perm fs.FileMode) (vfs.File, error) {
	f, err := d.OS.OpenFile(name, flag, perm)
	if err == nil && strings.HasSuffix(name, ".lock") {
		d.locks = append(d.locks, f)
	}
	return f, err
}

func (d *dying) die() {
	for _, f := range d.locks {
		_ = f.Close()
	}
}

// A folder that a command has made unreadable or unwritable hides nothing.
func TestAFolderThatCannotBeWritten(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root can write everywhere")
	}
	x := newProject(t)
	end := x.guard.Begin(x.policy)
	x.write("a/.envrc", "b/.envrc", "c/d/.envrc")
	for name, mode := range map[string]fs.FileMode{"a": 0o555, "b": 0, "c/d": 0o311, "c": 0o311} {
		if err := os.Chmod(filepath.Join(x.dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	if got := x.aside(end("chmod")); !slices.Equal(got, []string{"a/.envrc", "b/.envrc", "c/d/.envrc"}) {
		t.Errorf("moved aside: %q", got)
	}
	for _, name := range []string{"a", "b", "c", "c/d"} {
		file := filepath.Join(x.dir, name)
		if info, err := os.Lstat(file); err != nil || info.Mode().Perm()&0o600 == 0o600 {
			t.Errorf("%s: %v, %v, want its mode again", name, info, err)
		}
		_ = os.Chmod(file, 0o755)
	}
}

// Something in the background makes a file when no command is waited for.
func TestWhatIsMadeInTheBackground(t *testing.T) {
	x := newProject(t)
	heard := make(chan quarantine.Found, 1)
	x.guard.OnFound(func(f quarantine.Found) { heard <- f })
	end := x.guard.Begin(x.policy)
	x.write(".envrc")
	x.guard.Close() // the session ends while the command runs
	select {
	case f := <-heard:
		if got := x.aside(f); !slices.Equal(got, []string{".envrc"}) {
			t.Errorf("moved aside: %q", got)
		}
	case <-time.After(time.Minute):
		t.Error("nobody has said so")
	}
	end("late")
}

// What a sandbox cannot cover is known by its state: in node_modules, and a file that has another name.
func TestWhatChangesWithoutBeingCovered(t *testing.T) {
	x := newProject(t, "node_modules/a/.envrc=one", "node_modules/a/.vscode/tasks.json", ".envrc=one", "sub/.envrc=one")
	if err := os.Link(filepath.Join(x.dir, ".envrc"), filepath.Join(x.dir, "plain")); err != nil {
		t.Fatal(err)
	}
	x.command("true")
	got := x.aside(x.command("evil", "plain=two", "node_modules/a/.envrc=two", "node_modules/a/.vscode/tasks.json=two", "node_modules/b/.npmrc"))
	want := []string{".envrc", "node_modules/a/.envrc", "node_modules/a/.vscode", "node_modules/b/.npmrc"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("moved aside (-want +got):\n%s", diff)
	}
}

// A link of the user with a protected name leads to nothing yet: what is made there acts, whoever makes it.
func TestWhereALinkLeads(t *testing.T) {
	x := newProject(t, "shared/a", ".envrc->shared/none", "sub/.vscode->../other/none")
	x.command("true")
	if got := x.aside(x.command("evil", "shared/none")); !slices.Equal(got, []string{"shared/none"}) {
		t.Errorf("moved aside: %q", got)
	}
	x = newProject(t, "a", ".envrc->shared/none")
	if got, _ := x.guard.Places(x.dir); !slices.Equal(got, []string{filepath.Join(x.dir, "shared/none")}) {
		t.Errorf("ends: %q", got)
	}
}

// A server or a hook of the project may write without a command: the guard looks while it runs, also in the folders that
// only it may use.
func TestServersAreWatched(t *testing.T) {
	x, notes := newProject(t), t.TempDir()
	policy := x.policy
	policy.Write = []string{notes}
	x.guard.Serve(policy)
	x.write("sub/.envrc")
	if err := os.WriteFile(filepath.Join(notes, ".envrc"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	found := x.guard.Look()
	var got []string
	for _, i := range found.Aside {
		got = append(got, i.Path)
	}
	slices.Sort(got)
	want := []string{filepath.Join(x.dir, "sub/.envrc"), filepath.Join(notes, ".envrc")}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if by := found.Aside[0].By; !strings.Contains(by, "background") {
		t.Errorf("it was made by %q", by)
	}
}

// The user changes branches and back while a command runs: what comes back as it was is the user's. With another
// content, or as a link, it may be the model's.
func TestWhatTheUserHadComesBack(t *testing.T) {
	x := newProject(t, ".envrc=mine", ".vscode/tasks.json={}", "link/.envrc->script", "script=x")
	if f := x.command("true"); f.Any() {
		t.Fatalf("a command that does nothing: %+v", f)
	}
	remove := func() {
		for _, name := range []string{".envrc", ".vscode", "link/.envrc"} {
			if err := os.RemoveAll(filepath.Join(x.dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	remove()
	if f := x.command("true"); f.Any() {
		t.Fatalf("without the files: %+v", f)
	}
	got := x.aside(x.command("sleep 9", ".envrc=mine", ".vscode/tasks.json={}", "link/.envrc->script"))
	if diff := cmp.Diff([]string{"link/.envrc"}, got); diff != "" {
		t.Error(diff)
	}
	remove()
	got = x.aside(x.command("sleep 9", ".envrc=evil", ".vscode/tasks.json={}", ".vscode/more.json={}"))
	if diff := cmp.Diff([]string{".envrc", ".vscode"}, got); diff != "" {
		t.Error(diff)
	}
}

// A session looks in the place of one that was killed in another folder, also while a server of its own runs. Neither
// folder is mistaken for the other one afterwards.
func TestASessionThatWasKilledElsewhere(t *testing.T) {
	x := newProject(t)
	boxes, disk := sandbox.NewHost(sandbox.Options{}).Boxes(t.TempDir()), &dying{}
	killed := quarantine.Open(disk, x.home).Guard(quarantine.Options{Boxes: boxes, Runs: runs})
	_ = killed.Begin(x.policy)
	x.write(".envrc")
	disk.die()

	here := x.policy
	here.Folders = []string{t.TempDir()}
	x.guard.Serve(here)
	if got := x.aside(x.guard.Recover()); !slices.Equal(got, []string{".envrc"}) {
		t.Errorf("moved aside: %q", got)
	}
	x.write("users/.envrc")
	plant := filepath.Join(here.Folders[0], ".envrc")
	if err := os.WriteFile(plant, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if found := x.guard.Look(); len(found.Aside) != 1 || found.Aside[0].Path != plant {
		t.Errorf("after the folder of the other session: %+v, want %s alone", found, plant)
	}
}

// A link gives the private folders of a sandbox, in which nobody looks, a place in the project. Also one to a folder above
// them does, and one to what is another folder for each process.
func TestLinksToThePrivateFoldersOfTheSandbox(t *testing.T) {
	x := newProject(t, "mine/a", "lib/b")
	cache := filepath.Join(x.state, "0123/.cache/docs")
	if err := os.MkdirAll(cache, 0o755); err != nil {
		t.Fatal(err)
	}
	x.write("before->" + cache) // the user's own
	if f := x.command("true"); f.Any() {
		t.Fatalf("what was there: %+v", f)
	}
	got := x.aside(x.command("ln -s", "docs->"+cache, "lib/up->"+x.state, "lib/above->"+filepath.Dir(x.state), "by->before/x", "none->"+x.state+"/none/yet",
		"proc->/proc/self/cwd/x", "lib/headers->../proc/self/x", "cpu->/proc/cpuinfo", "ordinary->lib/b", "python->/usr/bin/env", "dangling->/nowhere/x", "circle->circles/b", "circles/b->../circle"))
	if diff := cmp.Diff([]string{"by", "docs", "lib/above", "lib/up", "none", "proc"}, got); diff != "" {
		t.Error(diff)
	}
}
