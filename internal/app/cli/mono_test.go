package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// With the theme mono of a settings file, nothing is printed in colours, and `config show` still
// names the file.
func TestMonoThemeIsWithoutColours(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "sidestick", "config.jsonc")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(`{"theme": "mono"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"SIDESTICK_HOME": home, "XDG_CONFIG_HOME": home}
	o := &Options{Sys: System{Getenv: func(name string) string { return env[name] }}}
	for range 2 {
		cfg, err := o.Config()
		if err != nil {
			t.Fatal(err)
		}
		if cfg.Terminal.Theme.Value != "mono" || cfg.Terminal.Theme.From == "env NO_COLOR" {
			t.Errorf("the theme is %+v", cfg.Terminal.Theme)
		}
		if o.Sys.Getenv("NO_COLOR") == "" {
			t.Error("there are colours")
		}
	}
}
