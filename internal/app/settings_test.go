package app

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
)

// documentedFlag is what a row of docs/flags.md says about a flag.
type documentedFlag struct{ defaults, names string }

// TestSettingsPageHasEveryFlag compares the table of docs/flags.md with the flags
// of every command: each is there with the commands that take it, its short form and
// its default, and no row is left of a flag that no command takes. The variables are
// compared by TestSettingsPageHasEveryVariable, in the root of the module.
func TestSettingsPageHasEveryFlag(t *testing.T) {
	page, err := os.ReadFile("../../docs/flags.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := documentedFlags(string(page))
	if len(documented) < 80 {
		t.Fatalf("the table has %d flags of commands; was its form changed?", len(documented))
	}
	for at, flag := range flagsOf(newRoot(&cli.Options{}, nil)) {
		row, found := documented[at]
		delete(documented, at)
		switch {
		case !found:
			t.Errorf("docs/flags.md has no row with --%s for `%s`", flag.name, commandOf(at))
		case flag.shorthand != "" && !strings.Contains(row.names, "`-"+flag.shorthand+"`"):
			t.Errorf("docs/flags.md does not say that -%s is --%s", flag.shorthand, flag.name)
		case !slices.Contains([]string{"", "0", "0s", "false", "[]"}, flag.byDefault) && !strings.Contains(row.defaults, flag.byDefault):
			t.Errorf("docs/flags.md says that the default of --%s is %s, not %s", flag.name, row.defaults, flag.byDefault)
		}
	}
	for at := range maps.Keys(documented) {
		t.Errorf("docs/flags.md has a row for a flag that is not there: %s", at)
	}
}

func commandOf(at string) string { command, _, _ := strings.Cut(at, " --"); return command }

// flag is what the test wants to know of a flag.
type flag struct{ name, shorthand, byDefault string }

// flagsOf returns the flags of a command and those below it by "command --flag". Those
// that cobra adds to every command are left out.
func flagsOf(cmd *cobra.Command) map[string]flag {
	all := map[string]flag{}
	name := strings.TrimPrefix(cmd.CommandPath(), "sidestick ")
	for _, f := range visited(cmd.LocalFlags().VisitAll) {
		if f.Name != "help" && f.Name != "version" && !strings.HasPrefix(name, "completion") {
			all[name+" --"+f.Name] = flag{f.Name, f.Shorthand, f.DefValue}
		}
	}
	for _, below := range cmd.Commands() {
		maps.Copy(all, flagsOf(below))
	}
	return all
}

// visited gathers what a function calls back with.
func visited[T any](each func(func(T))) (all []T) {
	each(func(v T) { all = append(all, v) })
	return all
}

// documentedFlags reads the rows: names, meaning, default, unit and bounds, where.
func documentedFlags(page string) map[string]documentedFlag {
	quoted := regexp.MustCompile("`([^`]+)`")
	all := map[string]documentedFlag{}
	for row := range strings.Lines(page) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(row), "|"), "|")
		if !strings.HasPrefix(row, "| ") || len(cells) != 5 {
			continue
		}
		for _, flag := range quoted.FindAllStringSubmatch(cells[0], -1) {
			for _, command := range quoted.FindAllStringSubmatch(cells[4], -1) {
				if strings.HasPrefix(flag[1], "--") {
					all[command[1]+" "+flag[1]] = documentedFlag{defaults: cells[2], names: cells[0]}
				}
			}
		}
	}
	return all
}
