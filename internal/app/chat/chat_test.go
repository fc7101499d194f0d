package chat

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/session/slash"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

func TestMessageOfSeveralLines(t *testing.T) {
	for _, tc := range []struct{ lines, want string }{
		{"one", "one"},
		{"", ""},
		{`one\|two\|three`, "one\ntwo\nthree"},
		{`\|two`, "\ntwo"},
		{`"""|one|two"""`, "one\ntwo"},
		{`"""|one||two|"""`, "one\n\ntwo"},
		{`"""one|two\|"""  `, "one\ntwo\\"},
		{`"""one"""`, "one"},
		{`""""""`, ""},
		{`say """ to him`, `say """ to him`},
	} {
		var m message
		lines := strings.Split(tc.lines, "|")
		for i, l := range lines {
			if whole := m.add(l); whole != (i == len(lines)-1) {
				t.Errorf("%q is whole after line %d: %v", tc.lines, i+1, whole)
			}
		}
		if m.text() != tc.want {
			t.Errorf("%q is %q, want %q", tc.lines, m.text(), tc.want)
		}
	}
}

// A path is no command, and neither is what begins with a space.
func TestSlash(t *testing.T) {
	for text, want := range map[string]string{
		"/help": "help|", "/model  x y ": "model|x y", "/": "", "/usr/bin/env is what?": "", " /help": "", "/* c */": "", "help": "",
	} {
		got := ""
		if name, rest, ok := slash.Split(text); ok {
			got = name + "|" + rest
		}
		if got != want {
			t.Errorf("%q is the command %q, want %q", text, got, want)
		}
	}
}

// The chat carries out each command that is only for terminals, and none that is not in the table.
func TestEveryCommandIsCarriedOut(t *testing.T) {
	do := chatDo()
	for _, d := range slash.Builtins {
		if d.Terminal && do[d.Name()] == nil {
			t.Errorf("/%s does nothing", d.Name())
		}
		delete(do, d.Name())
	}
	for name := range do {
		t.Errorf("/%s is in no table of commands", name)
	}
}

func TestHelpFitsTheScreen(t *testing.T) {
	for _, d := range slash.Builtins {
		row := "  " + timeline.Pad("/"+d.Name()+" "+d.Args, 18) + d.Help
		if n := timeline.Width(row); n > 80 {
			t.Errorf("a row of %d columns: %s", n, row)
		}
	}
}
