//go:build unix

package app_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/app"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
)

// showing are the commands that show what there is, or that help to mend it.
var showing = [][]string{
	{"doctor"},
	{"trust", "--list"},
	{"mcp", "list"},
	{"config", "show"},
	{"config", "path"},
	{"models"},
	{"keys", "list"},
	{"sessions", "list"},
	{"version"},
	{"help"},
}

// acting are commands that change something, or that start something.
var acting = [][]string{
	{"run", "hello"},
	{"chat"},
	{"keys", "set", "openai"},
	{"keys", "remove", "openai"},
	{"mcp", "add", "x", "--", "true"},
	{"mcp", "remove", "x"},
	{"mcp", "test", "x"},
	{"mcp", "list", "--test"},
	{"trust", "."},
}

// A command that acts does nothing while a settings file is broken: without the file it would not have the
// certificates that it names, nor the rules that deny something, also if its folder is not trusted.
func TestABrokenSettingsFileStopsWhatActs(t *testing.T) {
	for _, file := range []string{"project/.sidestick/config.jsonc", "config/sidestick/config.jsonc"} {
		breaks := func(root string) {
			path := filepath.Join(root, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("{\n  \"permissions\": {\"deny\": [\"shell\"]\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for i, got := range printed(t, acting, breaks) {
			if got.code != cli.ExitUsage || got.stdout != "" || !strings.Contains(got.stderr, "ROOT/"+file+":") {
				t.Errorf("%s with a broken %s: exit code %d\n%s\n%s", strings.Join(acting[i], " "), file, got.code, got.stdout, got.stderr)
			}
		}
	}
}

// Doctor names a broken file of another kind, and what to do about it.
func TestDoctorNamesABrokenFile(t *testing.T) {
	for _, file := range []string{"home/keys.json", "home/models.json", "home/mcp-config.json"} {
		got := printed(t, [][]string{{"doctor"}}, func(root string) {
			if err := os.WriteFile(filepath.Join(root, file), []byte("{ x"), 0o600); err != nil {
				t.Fatal(err)
			}
		})[0]
		if !strings.Contains(got.stdout, filepath.Base(file)) {
			t.Errorf("doctor does not say what is wrong with %s:\n%s", file, got.stdout)
		}
	}
}

// brokenIn are ways in which a file can be broken.
var brokenIn = map[string]func(t *testing.T, path string) error{
	"syntax": func(_ *testing.T, path string) error { return os.WriteFile(path, []byte("{"), 0o600) },
	"wrong types": func(_ *testing.T, path string) error {
		return os.WriteFile(path, []byte(`{"model": [{}], "mcpServers": 5, "hooks": 7, "version": "x"}`), 0o600)
	},
	"not UTF-8": func(_ *testing.T, path string) error {
		return os.WriteFile(path, []byte("\xff\xfe\x00{\x1b[31m"), 0o600)
	},
	"a folder": func(_ *testing.T, path string) error { return os.Mkdir(path, 0o700) },
	"a pipe":   func(_ *testing.T, path string) error { return syscall.Mkfifo(path, 0o600) },
	"100 MB": func(_ *testing.T, path string) error {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			return err
		}
		return os.Truncate(path, 100<<20) // a file with a hole
	},
	"unreadable": func(t *testing.T, path string) error {
		if os.Getuid() == 0 {
			t.Skip("root can read everything")
		}
		return os.WriteFile(path, []byte("{}"), 0)
	},
}

// A broken file never takes these commands away: each prints what it prints without the file, and ends with
// the same exit code. What is wrong with a settings file is a warning, and a check of doctor.
func TestABrokenFileTakesNoCommandAway(t *testing.T) {
	sound := showAll(t, func(string) {})
	for _, file := range []string{
		"project/.sidestick/config.jsonc",
		"project/.mcp.json",
		"project/.github/hooks/x.json",
		"project/.sidestick/agents/x.md",
		"project/.sidestick/skills/x/SKILL.md",
		"config/sidestick/config.jsonc",
		"home/settings.json",
		"home/models.json",
		"home/keys.json",
		"home/mcp-config.json",
		"home/plugins/x/plugin.json",
	} {
		for how, breaks := range brokenIn {
			if !strings.HasSuffix(file, "config.jsonc") && how != "wrong types" && how != "a pipe" {
				continue // they are read in the same ways
			}
			t.Run(file+"/"+how, func(t *testing.T) {
				broken := showAll(t, func(root string) {
					path := filepath.Join(root, file)
					if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
						t.Fatal(err)
					}
					if err := breaks(t, path); err != nil {
						t.Fatal(err)
					}
				})
				for i, args := range showing {
					compareShown(t, file, args, sound[i], broken[i])
				}
			})
		}
	}
}

// shown is what a command has printed.
type shown struct {
	code           int
	stdout, stderr string
}

// showAll runs the commands in a project of their own, which breaks has changed.
func showAll(t *testing.T, breaks func(root string)) (all []shown) {
	t.Helper()
	return printed(t, showing, breaks)
}

// printed runs commands in a project of their own, which breaks has changed.
func printed(t *testing.T, commands [][]string, breaks func(root string)) (all []shown) {
	t.Helper()
	root := t.TempDir()
	for _, dir := range []string{"project/.git", "home", "config/sidestick"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	breaks(root)
	env := map[string]string{
		"HOME": root, "SIDESTICK_HOME": filepath.Join(root, "home"), "XDG_CONFIG_HOME": filepath.Join(root, "config"),
		"SIDESTICK_KEYRING": "off", "PATH": os.Getenv("PATH"),
	}
	t.Setenv("HOME", root)
	t.Chdir(filepath.Join(root, "project"))
	for _, args := range commands {
		if t.Failed() {
			return make([]shown, len(commands))
		}
		var stdout, stderr bytes.Buffer
		code := app.Main(t.Context(), args, cli.System{
			Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Getenv: func(name string) string { return env[name] },
		})
		all = append(all, shown{code, strings.ReplaceAll(stdout.String(), root, "ROOT"), strings.ReplaceAll(stderr.String(), root, "ROOT")})
	}
	return all
}

func compareShown(t *testing.T, file string, args []string, sound, broken shown) {
	t.Helper()
	name := strings.Join(args, " ")
	settings := strings.HasSuffix(file, "config.jsonc")
	switch name {
	case "doctor":
		if !strings.Contains(broken.stdout, "Settings") || !strings.Contains(broken.stdout, "Checks") || !strings.Contains(broken.stdout, "home") {
			t.Errorf("doctor prints\n%s\n%s", broken.stdout, broken.stderr)
		}
		if settings && !strings.Contains(broken.stdout, "not used:") {
			t.Errorf("doctor does not name %s:\n%s", file, broken.stdout)
		}
		want := sound.code
		if settings {
			want = cli.ExitUsage // a run would end so
		}
		if strings.HasPrefix(file, "config/") && !strings.Contains(broken.stdout, "not called, because your settings file is broken") {
			t.Errorf("doctor does not say that no provider is called:\n%s", broken.stdout)
		}
		if broken.code != want {
			t.Errorf("doctor ends with %d, want %d\n%s\n%s", broken.code, want, broken.stdout, broken.stderr)
		}
		return
	case "mcp list", "keys list", "models": // these report the problem with the file itself
		if file == "home/models.json" || file == "home/keys.json" || strings.HasSuffix(file, "mcp.json") || file == "home/mcp-config.json" {
			if broken.stdout+broken.stderr == "" || strings.Contains(broken.stderr, "panic") {
				t.Errorf("%s prints nothing", name)
			}
			return
		}
	case "version", "help", "config path":
		settings = false
	}
	if broken.code != sound.code || broken.stdout != sound.stdout {
		t.Errorf("%s ends with %d, want %d, and prints\n%s\n%s\nwithout the broken file:\n%s", name, broken.code, sound.code, broken.stdout, broken.stderr, sound.stdout)
	}
	if settings && !strings.Contains(broken.stderr, "warning: a settings file is not used: ") {
		t.Errorf("%s does not name %s:\n%s", name, file, broken.stderr)
	}
	if strings.ContainsFunc(broken.stdout+broken.stderr, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || 0x7f <= r && r < 0xa0 }) {
		t.Errorf("%s prints control characters: %q", name, broken.stderr)
	}
}
