package chat

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
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

// The history is kept in order, bounded, for its owner alone; damage costs a line.
func TestHistory(t *testing.T) {
	dir := t.TempDir()
	p := &wiring.Parts{Config: config.Config{Home: config.Setting[string]{Value: dir}}}
	path := filepath.Join(dir, "history")
	h := openHistory(p, cli.System{})
	for _, line := range []string{"one", "one", " secret", "two\nlines", "one"} {
		h.add(line)
	}
	want := []string{"one", "two\nlines", "one"}
	if diff := cmp.Diff(want, h.lines); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(f, `"torn`)
	for i := range 2 * maxHistory {
		fmt.Fprintf(f, "%q\n", fmt.Sprint("line ", i))
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	again := openHistory(p, cli.System{})
	if n := len(again.lines); n != maxHistory || again.lines[n-1] != "line 1999" {
		t.Errorf("%d lines, the last %q", n, again.lines[n-1])
	}
	text, err := os.ReadFile(path)
	if n := strings.Count(string(text), "\n"); n != maxHistory || err != nil {
		t.Errorf("the file has %d lines, %v, want it cut to %d", n, err, maxHistory)
	}
}

// The chat carries out each command of the table, and no other.
func TestEveryCommandIsCarriedOut(t *testing.T) {
	do := chatDo()
	for _, d := range slash.Builtins {
		if do[d.Name()] == nil {
			t.Errorf("/%s does nothing", d.Name())
		}
	}
	if len(do) != len(slash.Builtins) {
		t.Errorf("the chat has %d commands, the table %d", len(do), len(slash.Builtins))
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
