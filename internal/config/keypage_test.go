package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/testing/golden"
)

// TestSettingsPageHasEveryKey compares the table of settings in files with the page; with -update
// it writes it.
func TestSettingsPageHasEveryKey(t *testing.T) {
	var rows strings.Builder
	for _, k := range Keys() {
		inProject := map[Limit]string{Never: "no", Trusted: "if you trust the folder", Stricter: "if it is stricter"}[k.Project]
		if k.Adds && k.Project == Stricter {
			inProject = "yes"
		}
		servers := "yes"
		if k.PeopleOnly {
			servers = "no"
		}
		fmt.Fprintf(&rows, "| `%s` | %s | %s | %s | %s | %s |\n", k.Name, k.Help, valuesOf(k), k.Default, inProject, servers)
	}
	const begin, end = "| Key | Meaning | Value | Default | Project | Servers |\n|---|---|---|---|---|---|\n", "\n<!-- end of the keys -->"
	golden.Part(t, "../../docs/settings.md", begin, end, strings.TrimSuffix(rows.String(), "\n"))
}

// TestTerminalPageHasItsSettings does so with the settings of the terminal in docs/terminal.md.
func TestTerminalPageHasItsSettings(t *testing.T) {
	var rows strings.Builder
	for _, k := range terminalKeys() {
		fmt.Fprintf(&rows, "| `%s` | %s | %s | %s |\n", k.Name, k.Help, valuesOf(k), k.Default)
	}
	const begin, end = "<!-- settings: written by go test ./internal/config -update -->\n", "<!-- end of settings -->"
	golden.Part(t, "../../docs/terminal.md", begin, end, "\n| Key | Meaning | Value | Default |\n|---|---|---|---|\n"+rows.String()+"\n")
}

// valuesOf says what a setting can be.
func valuesOf(k Key) string {
	values := map[Kinds]string{Text: "a text", Switch: "`true` or `false`", Time: "a time such as `\"90s\"`", List: "a list of texts", Table: "an object"}[k.Kind]
	if k.Path {
		values = strings.Replace(values, "text", "absolute path", 1)
		values = strings.Replace(values, "a absolute", "an absolute", 1)
	}
	switch k.Kind {
	case Word:
		values = "`" + strings.Join(k.Values, "`, `") + "`"
	case Number:
		values = fmt.Sprintf("a number, %d to %d", k.Min, k.Max)
	}
	return values
}
