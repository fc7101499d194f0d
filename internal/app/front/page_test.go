package front

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/session/slash"
	"github.com/sidestick-dev/sidestick/internal/testing/golden"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
)

// docs/terminal.md has the table of commands, between two marks.
func TestPageHasTheCommands(t *testing.T) {
	const begin, end = "<!-- commands: written by go test ./internal/app/front -run TestPageHasTheCommands -update -->\n", "<!-- end of commands -->"
	golden.Part(t, "../../../docs/terminal.md", begin, end, "\n"+commandTable()+"\n")
}

// On a server, each command is carried out here, by the server, or by the interface itself, or it is one
// of those that are refused; docs/terminal.md lists these.
func TestEveryCommandOnAServer(t *testing.T) {
	g := &attached{guest: &guest{desk: desk{keys: keymap.Default()}}}
	do := g.effects()
	var refused []string
	for _, d := range slices.Concat(slash.Builtins, g.own()) {
		if d.Terminal && do[d.Name()] == nil {
			refused = append(refused, d.Name())
		}
	}
	known := map[string]bool{}
	for _, c := range g.commands() {
		known[c.Name()] = true
		builtin, ok := slash.Find(c.Name())
		ways := 0
		for _, way := range []bool{do[c.Name()] != nil || ok && !builtin.Terminal, tui.Does(c.Name()) && do[c.Name()] == nil, slices.Contains(refused, c.Name())} {
			if way {
				ways++
			}
		}
		if ways != 1 {
			t.Errorf("/%s is done in %d ways on a server: give it a function in one of the tables effects, or mark it as one for terminals", c.Name(), ways)
		}
	}
	for name := range do {
		if !known[name] {
			t.Errorf("effects has /%s, which is no command", name)
		}
	}
	var list []string
	for _, name := range refused {
		list = append(list, "`/"+name+"`")
	}
	text := strings.Join(list, ", ") + " work"
	if len(list) == 1 {
		text += "s"
	}
	const begin, end = "<!-- not on a server: written by go test ./internal/app/front -run TestEveryCommandOnAServer -update -->\n", "<!-- end of these -->"
	golden.Part(t, "../../../docs/terminal.md", begin, end, "- "+text+" only in a session of this process.\n")
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
