package config

import (
	goflag "flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = goflag.Bool("update", false, "rewrite the table of docs/settings.md")

// TestSettingsPageHasEveryKey compares the table of settings in files with the page; with -update
// it writes it.
func TestSettingsPageHasEveryKey(t *testing.T) {
	const path, begin, end = "../../docs/settings.md", "| Key | Meaning | Value | Default | Project | Servers |\n|---|---|---|---|---|---|\n", "\n<!-- end of the keys -->"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), begin)
	old, after, okToo := strings.Cut(rest, end)
	if !ok || !okToo {
		t.Fatal("the page has no table of keys")
	}
	var rows strings.Builder
	for _, k := range Keys() {
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
		inProject := map[Limit]string{Never: "no: " + k.Why, Trusted: "if you trust the folder", Stricter: "if it is stricter"}[k.Project]
		if k.Adds && k.Project == Stricter {
			inProject = "yes"
		}
		servers := "yes"
		if k.Terminal {
			servers = "no"
		}
		fmt.Fprintf(&rows, "| `%s` | %s | %s | %s | %s | %s |\n", k.Name, k.Help, values, k.Default, inProject, servers)
	}
	if *update {
		err := os.WriteFile(path, []byte(before+begin+strings.TrimSuffix(rows.String(), "\n")+end+after), 0o644)
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	if old+"\n" != rows.String() {
		t.Error("the table of keys in docs/settings.md is not that of keytable.go; to rewrite it: go test ./internal/config -run SettingsPage -update")
	}
}
