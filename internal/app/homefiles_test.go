package app_test

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/app"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/web"
)

// Every file that the commands leave in SIDESTICK_HOME is in the table. A plain approval for writing
// does not cover those with approvals and keys, also if the workspace is that folder.
func TestEveryFileOfTheHomeIsInTheTable(t *testing.T) {
	home := t.TempDir()
	t.Chdir(t.TempDir())
	fake := modeltest.NewServer(modeltest.Reply{Text: "ok", Repeat: true})
	defer fake.Close()
	env := map[string]string{
		"SIDESTICK_HOME": home, "XDG_CONFIG_HOME": t.TempDir(), "SIDESTICK_KEYRING": "off", "SIDESTICK_LOCAL_SERVERS": "off", "SIDESTICK_SANDBOX": "off",
		"OPENAI_BASE_URL": fake.URL(), "SIDESTICK_MODEL": "m",
	}
	for _, args := range [][]string{
		{"run", "--session", "s1", "Hello."},
		{"run", "--resume", "s1", "--allow-tool", "write", "Hello."},
		{"trust"},
		{"sessions", "list"},
		{"config", "set", "model", "m"},
		{"keys", "set", "openai", "--store", "file"},
		{"mcp", "add", "db", "--", "db-server"},
		{"sessions", "import", filepath.Join(home, "session-state", "s1", "events.jsonl"), "--id", "copy"},
		{"doctor"},
	} {
		var out bytes.Buffer
		code := app.Main(t.Context(), args, cli.System{
			Stdin: strings.NewReader("key\n"), Stdout: &out, Stderr: &out, Getenv: func(name string) string { return env[name] }, FS: vfs.OS{},
		})
		if code != 0 {
			t.Errorf("%q: exit code %d\n%s", args, code, out.String())
		}
	}
	if _, err := web.LoadKey(vfs.OS{}, filepath.Join(home, "extension.key")); err != nil {
		t.Fatal(err)
	}
	rules := permit.Rules{Allow: []permit.Rule{{Kind: permit.Write}}, State: home, Folders: permit.Folders{Primary: home}}
	asked := map[string]bool{}
	err := filepath.WalkDir(home, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		relative, _ := filepath.Rel(home, path)
		relative = filepath.ToSlash(relative)
		if _, found := projectfiles.At(relative, projectfiles.Home); !found {
			t.Errorf("the home has %s, which the table does not have", relative)
		}
		first, _, _ := strings.Cut(relative, "/")
		asked[first] = rules.Decide(permit.Request{Kind: permit.Write, Path: permit.Path{Name: path, Real: path}}).Verdict == permit.Ask
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"session-grants", "session-state", "session.key", "extension.key", "permissions.json", "keys.json", "mcp-config.json"} {
		if ask, found := asked[name]; !found || !ask {
			t.Errorf("%s is in the home: %v; writing it asks: %v", name, found, ask)
		}
	}
}
