package front

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/golden"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
)

// docs/terminal.md has the table of commands, between two marks.
func TestPageHasTheCommands(t *testing.T) {
	const begin, end = "<!-- commands: written by go test ./internal/app/front -run TestPageHasTheCommands -update -->\n", "<!-- end of commands -->"
	golden.Part(t, "../../../docs/terminal.md", begin, end, "\n"+commandTable()+"\n")
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
