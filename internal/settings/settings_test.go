package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

func TestUserPath(t *testing.T) {
	for _, tc := range []struct{ xdg, appdata, goos, home, want string }{
		{"", "", "linux", "/home/ann", "/home/ann/.config/sidestick/config.jsonc"},
		{"/x", "", "linux", "/home/ann", "/x/sidestick/config.jsonc"},
		{"relative", "", "linux", "/home/ann", "/home/ann/.config/sidestick/config.jsonc"},
		{"", "", "darwin", "/Users/ann", "/Users/ann/.config/sidestick/config.jsonc"},
		{"", "/roaming", "windows", "/ann", "/roaming/sidestick/config.jsonc"},
		{"", "/roaming", "linux", "", ""},
	} {
		env := map[string]string{"XDG_CONFIG_HOME": tc.xdg, "APPDATA": tc.appdata}
		if got := UserPath(func(name string) string { return env[name] }, tc.goos, tc.home); filepath.ToSlash(got) != tc.want {
			t.Errorf("%+v: %s", tc, got)
		}
	}
}

// place makes a user's folder and a repository with a folder below it.
func place(t *testing.T) (p Place, repo string) {
	t.Helper()
	dir := t.TempDir()
	repo = filepath.Join(dir, "repo")
	for _, made := range []string{filepath.Join(repo, ".git"), filepath.Join(repo, "a", "b"), filepath.Join(dir, "user")} {
		if err := os.MkdirAll(made, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return Place{FS: vfs.OS{}, User: filepath.Join(dir, "user", "config.jsonc"), Cwd: filepath.Join(repo, "a", "b")}, repo
}

func write(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), mode), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
}

func TestTheNearestFileUpToTheRepositoryCounts(t *testing.T) {
	p, repo := place(t)
	write(t, filepath.Join(repo, "..", ".sidestick", "config.jsonc"), `{"bell": true}`, 0o644) // outside
	if folder, found := p.ProjectFolder(); found || folder != repo {
		t.Errorf("%s, %v", folder, found)
	}
	write(t, filepath.Join(repo, ".sidestick", "config.jsonc"), `{"bell": true}`, 0o644)
	if folder, found := p.ProjectFolder(); !found || folder != repo {
		t.Errorf("%s, %v", folder, found)
	}
	write(t, filepath.Join(repo, "a", ".sidestick", "config.jsonc"), `{"model": "m"}`, 0o644)
	files, _, err := p.Read(func(path, _ string) error {
		if path == filepath.Join(repo, "a", projectfiles.SettingsFile) {
			return nil
		}
		return projectfiles.ErrUntrusted
	}, false)
	if err != nil || len(files) != 1 || !files[0].Project || !files[0].Trusted || !files[0].Has("model") {
		t.Errorf("%+v, %v", files, err)
	}
	outside := Place{FS: vfs.OS{}, Cwd: filepath.Join(repo, "..", "user")}
	if folder, found := outside.ProjectFolder(); found || folder != outside.Cwd {
		t.Errorf("outside of a repository: %s, %v", folder, found)
	}
}

func TestFilesThatAreNotRead(t *testing.T) {
	for _, tc := range []struct {
		name string
		make func(t *testing.T, p Place, project string)
		want string
	}{
		{"a file that others can change", func(t *testing.T, p Place, _ string) { write(t, p.User, "{}", 0o666) }, "other users of this machine can change it (its mode is 0666)"},
		{"a large file", func(t *testing.T, p Place, _ string) { write(t, p.User, strings.Repeat(" ", maxFile+1), 0o600) }, "it has 1048577 bytes, more than 1048576"},
		{"a large file of a project", func(t *testing.T, _ Place, project string) { write(t, project, strings.Repeat(" ", maxFile+1), 0o644) }, "more than 1048576"},
		{"a folder", func(t *testing.T, _ Place, project string) { write(t, filepath.Join(project, "x"), "", 0o644) }, "is a directory"},
		{"a broken file of a project", func(t *testing.T, _ Place, project string) { write(t, project, "{", 0o644) }, "sidestick config edit --project"},
		{"a link out of the project", func(t *testing.T, p Place, project string) {
			write(t, p.User+".secret", "canary", 0o600)
			if err := errors.Join(os.MkdirAll(filepath.Dir(project), 0o755), os.Symlink(p.User+".secret", project)); err != nil {
				t.Fatal(err)
			}
		}, "it is a link that leads out of the project"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, repo := place(t)
			tc.make(t, p, filepath.Join(repo, ".sidestick", "config.jsonc"))
			_, _, err := p.Read(func(string, string) error { return nil }, false)
			text := ""
			if err != nil {
				text = fault.Message(err)
			}
			if runtime.GOOS != "windows" && (fault.KindOf(err) != fault.Invalid || !strings.Contains(text, tc.want) || strings.Contains(text, "canary")) {
				t.Errorf("got %q, want %q", text, tc.want)
			}
		})
	}
}

func TestAChangeKeepsTheRest(t *testing.T) {
	p, repo := place(t)
	e := Editor{Place: p, Lock: filepath.Join(repo, "..", "home", "config.lock")}
	k, _ := config.FindKey("budget.maxTurns")
	fine := func(config.File) error { return nil }
	const before = "{\n  // mine\n  \"model\": \"m\", // why\n}\n"
	dotfiles := filepath.Join(repo, "..", "dotfiles.jsonc")
	write(t, dotfiles, before, 0o640)
	if err := os.Symlink(dotfiles, p.User); err != nil {
		t.Fatal(err)
	}
	path, err := e.Set(t.Context(), false, k, []byte("3"), fine)
	if err != nil || path != p.User {
		t.Fatal(path, err)
	}
	text, _ := os.ReadFile(dotfiles)
	info, _ := os.Lstat(p.User)
	if !strings.Contains(string(text), "\"model\": \"m\", // why\n") || !strings.Contains(string(text), `"maxTurns": 3`) || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("%s\n%v", text, info.Mode())
	}
	if _, err := e.Unset(t.Context(), false, config.Key{Name: "bell"}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("removing what is not there: %v", err)
	}
	refusal := errors.New("no")
	if _, err := e.Set(t.Context(), false, k, []byte("4"), func(config.File) error { return refusal }); !errors.Is(err, refusal) {
		t.Errorf("a refused change: %v", err)
	}
	if _, err := e.Set(t.Context(), false, k, []byte(`"x"`), fine); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a wrong value: %v", err)
	}
	if same, _ := os.ReadFile(dotfiles); string(same) != string(text) {
		t.Errorf("a change that was refused was written:\n%s", same)
	}
}

func TestABrokenFileIsNotChanged(t *testing.T) {
	p, repo := place(t)
	e := Editor{Place: p, Lock: filepath.Join(repo, "config.lock")}
	write(t, p.User, "{ broken", 0o600)
	k, _ := config.FindKey("bell")
	_, err := e.Set(t.Context(), false, k, []byte("true"), func(config.File) error { return nil })
	text, _ := os.ReadFile(p.User)
	if fault.KindOf(err) != fault.Invalid || string(text) != "{ broken" {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestNothingIsWrittenThroughALinkOfARepository(t *testing.T) {
	p, repo := place(t)
	elsewhere := t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(repo, ".sidestick")); err != nil {
		t.Fatal(err)
	}
	e := Editor{Place: p, Lock: filepath.Join(repo, "..", "config.lock")}
	k, _ := config.FindKey("permissions.deny")
	_, err := e.Set(t.Context(), true, k, []byte(`["write"]`), func(config.File) error { return nil })
	_, again := e.Create(true, []byte("{}"))
	if left, _ := os.ReadDir(elsewhere); err == nil || again == nil || len(left) > 0 {
		t.Errorf("%v, %v, %v", err, again, left)
	}
}
