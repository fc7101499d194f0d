package wiring

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// TestToolsPageHasEveryTool compares docs/tools.md with the tools that a session
// gets: each has its heading, each argument its row, and required ones are marked.
func TestToolsPageHasEveryTool(t *testing.T) {
	page, err := os.ReadFile("../../../docs/tools.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := documentedTools(string(page))
	for _, d := range Definitions(config.Config{}) {
		rows, found := documented[d.Name]
		delete(documented, d.Name)
		if !found {
			t.Errorf("docs/tools.md has no heading for %s", d.Name)
			continue
		}
		compareArguments(t, d, rows)
	}
	for name := range documented {
		t.Errorf("docs/tools.md describes %s, which no session has", name)
	}
}

func compareArguments(t *testing.T, d tool.Definition, rows map[string]string) {
	t.Helper()
	var schema struct {
		Properties map[string]json.RawMessage
		Required   []string
	}
	if err := json.Unmarshal(d.Parameters, &schema); err != nil {
		t.Fatalf("%s: %v", d.Name, err)
	}
	for name := range schema.Properties {
		row, found := rows[name]
		delete(rows, name)
		switch required := slices.Contains(schema.Required, name); {
		case !found:
			t.Errorf("docs/tools.md has no row for %s of %s", name, d.Name)
		case required != strings.Contains(row, "required"):
			t.Errorf("docs/tools.md is wrong on whether %s of %s is required", name, d.Name)
		}
	}
	for name := range rows {
		t.Errorf("docs/tools.md has a row for %s of %s, which the tool does not take", name, d.Name)
	}
}

// documentedTools reads the second cell of each argument's row, by tool and argument.
func documentedTools(page string) map[string]map[string]string {
	tools := map[string]map[string]string{}
	for part := range strings.SplitSeq(page, "\n### `") {
		name, text, found := strings.Cut(part, "`\n")
		if !found {
			continue
		}
		text, _, _ = strings.Cut(text, "\n## ")
		tools[name] = map[string]string{}
		for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|([^|]*)\\|").FindAllStringSubmatch(text, -1) {
			tools[name][row[1]] = row[2]
		}
	}
	return tools
}
