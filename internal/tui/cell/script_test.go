package cell

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/sidestick-dev/sidestick/internal/testing/golden"
)

// The rows of scripted sessions. A script has one command in a line:
//
//	TYPE DATA          an event of the main agent
//	@AGENT TYPE DATA   an event of a sub-agent
//	wait DURATION      the time that passes
//	show               the rows that became final, and the live ones
//	retry TEXT         a model call that is made again in four seconds
//	stopping           the user has interrupted the run
//	todos STATE TITLE; STATE TITLE ...
//	context            the page of what fills the window
func TestScripts(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/scripts.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		t.Run(f.Name, func(t *testing.T) {
			var b strings.Builder
			for _, width := range widths {
				fmt.Fprintf(&b, "== %d columns\n", width)
				play(t, &b, string(f.Data), width)
			}
			golden.Text(t, f.Name, b.String())
		})
	}
}

func play(t testing.TB, b *strings.Builder, script string, width int) {
	f := newFeed(Options{Reasoning: map[bool]string{true: "full"}[strings.HasPrefix(script, "# reasoning")]})
	for l := range strings.Lines(script) {
		l = strings.TrimSpace(l)
		word, rest, _ := strings.Cut(l, " ")
		switch {
		case l == "" || word == "#":
		case word == "show":
			b.WriteString(texts(f.Take(width)) + "-- live\n" + texts(f.Live(width, 16, f.at)))
			b.WriteString(f.Activity(f.at).Row(width).String() + "\n" + f.Status().Row(width).String() + "\n--\n")
		case word == "wait":
			d, err := time.ParseDuration(rest)
			if err != nil {
				t.Fatal(err)
			}
			f.at = f.at.Add(d)
		case word == "retry":
			f.Retry(2, 4*time.Second, 90*time.Second, rest, f.at)
		case word == "stopping":
			f.Stopping(true)
		case word == "context":
			b.WriteString(texts(f.Context().Rows(width)))
		case word == "todos":
			var list []Todo
			for entry := range strings.SplitSeq(rest, "; ") {
				state, title, _ := strings.Cut(entry, " ")
				list = append(list, Todo{title, state})
			}
			f.Todos(list)
		case word[0] == '@':
			typ, data, _ := strings.Cut(rest, " ")
			f.line(t, fmt.Sprintf(`{"type":%q,"agentId":%q,"data":%s}`, typ, word[1:], data))
		default:
			f.event(t, word, rest)
		}
	}
}

func readFile(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
