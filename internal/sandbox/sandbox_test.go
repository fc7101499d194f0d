//go:build linux

package sandbox_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/testing/attempt"
)

func TestMain(m *testing.M) {
	if code, ran := sandbox.RunKeeper(os.Args[1:]); ran {
		os.Exit(code)
	}
	attempt.Child(nil)
	os.Exit(m.Run())
}

// host returns a host on which sandboxes of a mode work, or ends the test.
func host(t testing.TB, mode sandbox.Mode, opts sandbox.Options) *sandbox.Host {
	t.Helper()
	opts.State = t.TempDir()
	h := sandbox.NewHost(opts)
	if s := h.Support(); !s.Has(mode) {
		attempt.Missing(t, fmt.Sprintf("no sandbox of the mode %s works here: %s; %+v", mode, s.Why(mode), s.Parts))
	}
	return h
}

// namespaces is host for tests of what only the sandbox of bwrap does; with opts.Bwrap "-" it is host.
func namespaces(t *testing.T, mode sandbox.Mode, opts sandbox.Options) *sandbox.Host {
	t.Helper()
	h := host(t, mode, opts)
	for _, part := range h.Support().Parts {
		if opts.Bwrap == "" && part.Name == "namespaces" && !part.Works {
			attempt.Missing(t, "no sandbox with namespaces works here: "+part.Detail)
		}
	}
	return h
}

// world is a folder with a project, and with a file that is not a part of it.
func world(t *testing.T) (work, secret string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work, secret = filepath.Join(dir, "work"), filepath.Join(dir, "secret")
	if err := errors.Join(os.Mkdir(work, 0o755), os.WriteFile(secret, []byte("hunter2hunter2"), 0o600)); err != nil {
		t.Fatal(err)
	}
	return work, secret
}

// A command in a sandbox sees the project, and not what is beside it.
func TestCommandsRunInside(t *testing.T) {
	for name, tc := range map[string]struct {
		opts sandbox.Options
		mode sandbox.Mode
		want string // of writing in the project
	}{
		"read-only":         {sandbox.Options{}, sandbox.ReadOnly, "refused"},
		"workspace-write":   {sandbox.Options{}, sandbox.WorkspaceWrite, "written"},
		"read-only, weaker": {sandbox.Options{Bwrap: "-"}, sandbox.ReadOnly, "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			b := namespaces(t, tc.mode, tc.opts).Boxes(t.TempDir())
			defer b.Close()
			work, secret := world(t)
			p := sandbox.Policy{Mode: tc.mode, Folders: []string{work}}
			for command, want := range map[string]string{
				"echo a 2>/dev/null > a && echo written || echo refused":                                  tc.want,
				"cat " + secret + " 2>/dev/null || echo refused":                                          "refused",
				"echo x > $HOME/x && echo x > $TMPDIR/x && echo written":                                  "written",
				"cat /proc/1/environ /proc/$PPID/environ 2>/dev/null | grep -c GOPATH":                    "0",
				": < /proc/$PPID/mem && echo opened || echo refused":                                      "refused",
				"exec 3<>/dev/tcp/1.1.1.1/80 && echo connected || echo refused":                           "refused",
				"grep -h Seccomp: /proc/1/status /proc/$PPID/status 2>/dev/null | sort -u | tr -d '\\t '": map[bool]string{true: "Seccomp:2"}[tc.opts.Bwrap == ""],
			} {
				if out, _ := bash(t, b, p, "{ "+command+"; } 2>/dev/null"); strings.TrimSpace(out) != want {
					t.Errorf("%s: %q, want %q", command, out, want)
				}
			}
		})
	}
}

// Where nothing works, nothing starts, and the reason has the next step.
func TestWithoutASandbox(t *testing.T) {
	h := sandbox.NewHost(sandbox.Options{Bwrap: "-", Landlock: -1})
	s := h.Support()
	if s.Has(sandbox.ReadOnly) || s.Has(sandbox.WorkspaceWrite) || !strings.Contains(s.Why(sandbox.ReadOnly), "install the package bubblewrap") {
		t.Errorf("%+v, %s", s, s.Why(sandbox.ReadOnly))
	}
	work, _ := world(t)
	_, err := h.Boxes(t.TempDir()).Start(sandbox.Policy{Mode: sandbox.ReadOnly, Folders: []string{work}}, sandbox.Spec{Path: "/bin/true", Args: []string{"true"}, Dir: work})
	if fault.KindOf(err) != fault.Unavailable {
		t.Error(err)
	}
}

// Commands that may write to .git can neither change what makes git run programs, nor put
// another .git in its place.
func TestGitMayWriteButNotItsSettings(t *testing.T) {
	h := host(t, sandbox.WorkspaceWrite, sandbox.Options{})
	b := h.Boxes(t.TempDir())
	defer b.Close()
	work := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", work).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p := sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{work}, Git: true}
	const commit = `echo a > a && git add a && git -c user.name=u -c user.email=u@example.com commit -qm first && git log --format=%s`
	if out, code := bash(t, b, p, commit); out != "first\n" || code != 0 {
		t.Errorf("%d: %s", code, out)
	}
	for _, attack := range []string{
		"git config core.pager ./x", "echo x >> .git/config", "echo x > .git/hooks/post-commit", "mv .git x", "rm -rf .git/hooks", "mv .git/hooks x",
		"rm -rf .git; mkdir .git && echo x > .git/config",
	} {
		if out, _ := bash(t, b, p, "("+attack+") && echo DONE"); strings.Contains(out, "DONE") {
			t.Errorf("%s worked: %s", attack, out)
		}
	}
	p.Git = false
	for _, attack := range []string{"touch .git/x", "mv .git x", "git commit -qm x --allow-empty"} {
		if out, _ := bash(t, b, p, "("+attack+") && echo DONE"); strings.Contains(out, "DONE") {
			t.Errorf("without Git %s worked: %s", attack, out)
		}
	}
}

// A protected file cannot be written, and neither can a folder above it be moved away so that
// another one takes its place.
func TestProtectedFiles(t *testing.T) {
	h := host(t, sandbox.WorkspaceWrite, sandbox.Options{})
	b := h.Boxes(t.TempDir())
	defer b.Close()
	work := t.TempDir()
	for _, name := range []string{".vscode/settings.json", "a/b/.cargo/config.toml", ".envrc", "a/.git/config"} {
		file := filepath.Join(work, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte("old"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	p := sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{work}, ProtectNames: []string{".vscode", ".envrc", ".cargo/config.toml"}}
	for _, attack := range []string{
		"echo x > .vscode/settings.json", "echo x > .envrc", "rm .envrc", "mv .envrc x", "ln -sf x .envrc", "mv .vscode x", "mv a x", "mv a/b x", "mv a/b/.cargo x",
		"rm -rf a/b/.cargo/config.toml", "echo x > a/.git/config", "mv a/.git x", "touch .vscode/tasks.json",
	} {
		if out, _ := bash(t, b, p, "("+attack+") && echo DONE"); strings.Contains(out, "DONE") {
			t.Errorf("%s worked: %s", attack, out)
		}
	}
	if out, code := bash(t, b, p, "echo x > a/new && mkdir a/b/c && mv a/new a/b/c/ && cat .envrc"); code != 0 || out != "old" {
		t.Errorf("beside them: %d, %s", code, out)
	}
}

// The state of this program may be in an allowed folder: it is below the home folder.
func TestTheStateOfTheProgramMayBeInAnAllowedFolder(t *testing.T) {
	home := t.TempDir()
	h := host(t, sandbox.WorkspaceWrite, sandbox.Options{Env: append(os.Environ(), "HOME="+home)})
	for _, state := range []string{"state", ".local/share/sidestick/session-state/s1/temp"} {
		temp := filepath.Join(home, state)
		if err := os.MkdirAll(temp, 0o700); err != nil {
			t.Fatal(err)
		}
		boxes := h.Boxes(temp)
		if out, code := bash(t, boxes, sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{home}}, "echo ok"); out != "ok\n" || code != 0 {
			t.Errorf("%s: %q, exit status %d", state, out, code)
		}
		boxes.Close()
	}
}

// The private files of a sandbox are in this program's home, which is hidden from commands.
func TestGitWorksWhereTheHomeOfTheProgramIsHidden(t *testing.T) {
	for _, bwrap := range []string{"", "-"} {
		state := t.TempDir()
		b := host(t, sandbox.ReadOnly, sandbox.Options{Bwrap: bwrap, Hide: []string{state}}).Boxes(filepath.Join(state, "session"))
		defer b.Close()
		if err := os.WriteFile(filepath.Join(state, "secret"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		work, _ := world(t)
		if out, err := exec.Command("git", "init", "-q", work).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		p := sandbox.Policy{Mode: sandbox.ReadOnly, Folders: []string{work}}
		if out, code := bash(t, b, p, "git status --short 2>&1 && cat "+state+"/secret 2>/dev/null"); out != "" || code == 0 {
			t.Errorf("bwrap %q: %d, %s", bwrap, code, out)
		}
	}
}

// While a sandbox starts, a command in another one swaps a folder and a link that leads outside,
// again and again. The sandbox does not start, or it does not have what the link leads to.
func TestAFolderIsSwappedForALinkWhileASandboxStarts(t *testing.T) {
	b := host(t, sandbox.WorkspaceWrite, sandbox.Options{}).Boxes(t.TempDir())
	defer b.Close()
	work, secret := world(t)
	victim := filepath.Join(filepath.Dir(secret), "victim")
	a, link := filepath.Join(work, "a"), filepath.Join(work, "b")
	for _, folder := range []string{filepath.Join(a, ".vscode"), filepath.Join(victim, ".vscode")} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink(victim, link), os.WriteFile(filepath.Join(victim, "key"), []byte("hunter2"), 0o644)); err != nil {
		t.Fatal(err)
	}
	stop, swapping, swaps := make(chan struct{}), sync.WaitGroup{}, 0
	swapping.Go(func() {
		next := time.NewTicker(50 * time.Microsecond)
		defer next.Stop()
		for {
			select {
			case <-stop:
				return
			case <-next.C:
				if unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE) == nil {
					swaps++
				}
			}
		}
	})
	started := 0
	for i := range 40 {
		p := sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{work}, ProtectNames: []string{".vscode", strconv.Itoa(i)}}
		out, _, _ := start(t, b, p, sandbox.Spec{
			Path: "/bin/bash", Args: []string{"bash", "-c", "cat a/key b/key; echo evil > a/pwned; echo evil > b/pwned"}, Dir: work, Env: p.Environ(os.Environ()),
		})
		if len(out) > 0 {
			started++
		}
		if strings.Contains(string(out), "hunter2") {
			t.Errorf("the sandbox shows what is outside: %s", out)
		}
	}
	close(stop)
	swapping.Wait()
	if _, err := os.Stat(filepath.Join(victim, "pwned")); err == nil {
		t.Error("a command has written outside")
	}
	t.Logf("%d of 40 sandboxes started, while there were %d swaps", started, swaps)
	if swaps < 40 {
		t.Error("the folder and the link were hardly swapped, so the test proves nothing")
	}
}

// A protected name in a hidden folder, and a new name for a folder above a denied file, show
// nothing.
func TestDeniedFoldersStayHidden(t *testing.T) {
	b := host(t, sandbox.WorkspaceWrite, sandbox.Options{}).Boxes(t.TempDir())
	defer b.Close()
	work, _ := world(t)
	for _, name := range []string{"secrets/.npmrc", "config/.env"} {
		file := filepath.Join(work, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte("hunter2"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	p := sandbox.Policy{
		Mode: sandbox.WorkspaceWrite, Folders: []string{work}, ProtectNames: []string{".npmrc"},
		Deny: []string{filepath.Join(work, "secrets"), filepath.Join(work, "config/.env")},
	}
	if out, _ := bash(t, b, p, "cat secrets/.npmrc; mv config c2; mv secrets s2; cat c2/.env config/.env s2/.npmrc"); strings.Contains(out, "hunter2") {
		t.Errorf("%s", out)
	}
}

// A file .git in a project that names folders which only look like a worktree brings nothing of
// the machine into a sandbox.
func TestAForgedWorktree(t *testing.T) {
	b := host(t, sandbox.WorkspaceWrite, sandbox.Options{}).Boxes(t.TempDir())
	defer b.Close()
	_, secret := world(t)
	work := filepath.Join(filepath.Dir(secret), "worktrees", "proj")
	if err := os.MkdirAll(filepath.Join(work, "own"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"own/gitdir": work + "/.git", "own/commondir": "../../..", ".git": "gitdir: own"} {
		if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{work}, Git: true}
	if out, _ := bash(t, b, p, "cat ../../secret; echo x > ../../new"); strings.Contains(out, "hunter2") {
		t.Errorf("%s", out)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(secret), "new")); err == nil {
		t.Error("a command has written outside")
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
