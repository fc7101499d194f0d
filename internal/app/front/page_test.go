package front

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
)

var updatePage = flag.Bool("update", false, "write the table of commands of docs/terminal.md anew")

// docs/terminal.md has the table of commands, between two marks.
func TestPageHasTheCommands(t *testing.T) {
	const page, begin, end = "../../../docs/terminal.md", "<!-- commands: written by go test ./internal/app/front -run TestPageHasTheCommands -update -->\n", "<!-- end of commands -->"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	found, after, ended := strings.Cut(rest, end)
	if !ok || !ended {
		t.Fatalf("%s has no marks around the commands", page)
	}
	want := "\n" + commandTable() + "\n"
	if *updatePage {
		if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("-commands of the program +%s:\n%s", page, diff)
	}
}

// commandTable is the commands, each with its key.
func commandTable() string {
	var b strings.Builder
	b.WriteString("| Command | What it does | Key |\n|---|---|---|\n")
	keys := map[string]string{}
	for _, a := range keymap.Default().Actions() {
		if len(a.Keys) > 0 {
			keys[a.Command] = "`" + keymap.Label(a.Keys[0]) + "`"
		}
	}
	f := &front{desk: desk{keys: keymap.Default()}}
	for _, c := range f.commands() {
		cell := "`" + strings.TrimSpace("/"+c.Name()+" "+strings.ReplaceAll(c.Args, "|", `\|`)) + "`"
		for _, alias := range c.Names[1:] {
			cell += ", `/" + alias + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", cell, strings.ReplaceAll(c.Help, "|", `\|`), keys["/"+c.Name()])
	}
	return b.String()
}
