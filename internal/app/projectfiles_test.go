package app_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/app"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Every file of a project that `run`, `doctor`, `trust` and `mcp list` open is in the table, in a
// folder that the user does not trust and in one that the user trusts.
func TestEveryFileThatTheProgramOpensIsInTheTable(t *testing.T) {
	project, home := t.TempDir(), t.TempDir()
	for _, e := range projectfiles.All() {
		if slices.Contains([]projectfiles.Place{projectfiles.Root, projectfiles.Ends, projectfiles.Way}, e.In) && e.Kind != projectfiles.Repository {
			write(t, filepath.Join(project, strings.ReplaceAll(strings.ReplaceAll(e.Path, "**", "deep"), "*", "x")), text(e))
		}
	}
	write(t, filepath.Join(project, ".git", "HEAD"), "ref: refs/heads/main\n")
	t.Chdir(project)
	fake := modeltest.NewServer(modeltest.Reply{Text: "ok", Repeat: true})
	defer fake.Close()
	env := map[string]string{
		"SIDESTICK_HOME": home, "XDG_CONFIG_HOME": t.TempDir(), "SIDESTICK_KEYRING": "off", "SIDESTICK_LOCAL_SERVERS": "off", "SIDESTICK_SANDBOX": "off",
		"OPENAI_BASE_URL": fake.URL(), "SIDESTICK_MODEL": "m",
	}
	var mu sync.Mutex
	opened := map[string]bool{}
	disk := vfs.Fail(vfs.OS{}, func(op vfs.Op) error {
		mu.Lock()
		defer mu.Unlock()
		if op.Name == "open" || op.Name == "readfile" {
			opened[op.Path] = true
		}
		return nil
	})
	for _, args := range [][]string{{"doctor"}, {"run", "Hello."}, {"mcp", "list"}, {"trust"}, {"doctor"}, {"run", "Hello."}} {
		var out bytes.Buffer
		code := app.Main(t.Context(), args, cli.System{
			Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Getenv: func(name string) string { return env[name] }, FS: disk,
		})
		if code != 0 {
			t.Errorf("%q: exit code %d\n%s", args, code, out.String())
		}
	}
	inside := 0
	for path := range opened {
		if path == projectfiles.SettingsFile { // opened in the folder of the project
			path = filepath.Join(project, path)
		}
		relative, err := filepath.Rel(project, path)
		if err != nil || !filepath.IsLocal(relative) {
			continue
		}
		inside++
		if _, found := projectfiles.InProject(filepath.ToSlash(relative)); !found {
			t.Errorf("the program opens %s of a project, which the table does not have", relative)
		}
	}
	if inside < 8 {
		t.Errorf("%d files of the project were opened: %v", inside, opened)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func text(e projectfiles.Entry) string {
	switch e.Kind {
	case projectfiles.Hooks:
		return `{"version":1,"hooks":{}}`
	case projectfiles.Servers, projectfiles.Settings:
		return "{}"
	}
	return "---\ndescription: Text.\n---\nText.\n"
}
