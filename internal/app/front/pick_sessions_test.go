package front

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model/modeltest"
	"github.com/sidestick-dev/sidestick/internal/operate"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
)

// The list of sessions shows and finds what the user wrote, and not what was removed from a history.
func TestSessionsAreFound(t *testing.T) {
	f := newFront(t, modeltest.Reply{Text: "It is mended."}, modeltest.Reply{Text: "It has stripes."}, modeltest.Reply{Text: "Paris."})
	for _, text := range []string{"Mend the parser.", "What does a zebra have?", "Where is the lighthouse?"} {
		f.say(t, text)
	}
	turns, _, err := operate.Turns(t.Context(), f.client.Session())
	if err != nil || len(turns) != 3 {
		t.Fatalf("%d turns, %v", len(turns), err)
	}
	last := slices.IndexFunc(turns, func(turn operate.Turn) bool { return strings.Contains(turn.Text, "lighthouse") })
	if _, err := operate.Rewind(t.Context(), f.client.Session(), turns[last], false); err != nil {
		t.Fatal(err)
	}
	e := f.mustRun(t, "sessions", "")
	shownList(e.Pick.List) // asks for the preview
	e.Pick.List.Refresh()
	if text := shownList(e.Pick.List); strings.Contains(text, "lighthouse") || strings.Contains(text, "Paris") || !strings.Contains(text, "stripes") {
		t.Errorf("the list shows\n%s", text)
	}
	for query, want := range map[string]bool{"zebra": true, "lighthouse": false} {
		e := f.mustRun(t, "sessions", "")
		press(t, e.Pick, strings.Split(query, "")...)
		if text := shownList(e.Pick.List); strings.Contains(text, "Mend the parser") != want {
			t.Errorf("searching for %q shows\n%s", query, text)
		}
	}
}

// The list under a heading is that of the heading, whichever list is read first.
func TestTheViewOfSessionsIsWhatItsHeadingSays(t *testing.T) {
	f := newFront(t, modeltest.Reply{Text: "Hello."})
	f.say(t, "I am Ann.")
	e, err := f.run(t.Context(), "sessions", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir()) // where no session is
	var works []func(context.Context) func()
	e.Pick.Open(func(work func(context.Context) func()) { works = append(works, work) })
	changed, err := e.Pick.Do(t.Context(), list.Outcome{Action: keymap.ListView})
	if err != nil {
		t.Fatal(err)
	}
	changed.Then()
	for len(works) > 0 { // the last one that was asked for ends first
		last := len(works) - 1
		work := works[last]
		works = works[:last]
		if then := work(t.Context()); then != nil {
			then()
		}
	}
	if text := shownList(e.Pick.List); !strings.Contains(text, "all folders") || !strings.Contains(text, "I am Ann") {
		t.Errorf("the list:\n%s", text)
	}
}
