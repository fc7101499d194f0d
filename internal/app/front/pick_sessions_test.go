package front

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/operate"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
)

// The list of sessions shows and finds what the user wrote, and not what was removed from a history.
func TestSessionsAreFound(t *testing.T) {
	f := newFront(t, modeltest.Reply{Text: "It is mended."}, modeltest.Reply{Text: "It has stripes."}, modeltest.Reply{Text: "Paris."})
	for _, text := range []string{"Mend the parser.", "What does a zebra have?", "Where is the lighthouse?"} {
		f.say(t, text)
	}
	turns, _, err := f.Turns(t.Context())
	if err != nil || len(turns) != 3 {
		t.Fatalf("%d turns, %v", len(turns), err)
	}
	last := slices.IndexFunc(turns, func(turn operate.Turn) bool { return strings.Contains(turn.Text, "lighthouse") })
	if _, err := f.Rewind(t.Context(), turns[last], false); err != nil {
		t.Fatal(err)
	}
	e := f.mustRun(t, "sessions", "")
	for action, want := range map[string]bool{keymap.ListChoose: true, keymap.ListRename: false, keymap.ListDelete: false} {
		if got := e.Pick.Opens(list.Outcome{Action: action}); got != want {
			t.Errorf("%s opens a session: %v, want %v", action, got, want)
		}
	}
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

// Tab shows the next view. The list under a heading is that of the heading, whichever list is read first.
func TestViewsOfTheSessions(t *testing.T) {
	f := newFront(t, modeltest.Reply{Text: "It is mended."})
	f.say(t, "Mend the parser.")
	t.Chdir(t.TempDir()) // where no session is
	p := f.mustRun(t, "sessions", "")
	var works []func(context.Context) func()
	p.Pick.Open(func(work func(context.Context) func()) { works = append(works, work) })
	readAll := func() {
		for len(works) > 0 { // the last one that was asked for ends first
			last := len(works) - 1
			work := works[last]
			works = works[:last]
			if then := work(t.Context()); then != nil {
				then()
			}
		}
	}
	press(t, p.Pick, "tab")
	readAll()
	wantIn(t, shownList(p.Pick.List), "all folders", "Mend the parser")
	press(t, p.Pick, "tab")
	readAll()
	if text := shownList(p.Pick.List); !strings.Contains(text, "this folder") || strings.Contains(text, "Mend the parser") {
		t.Errorf("the sessions of an empty folder:\n%s", text)
	}
}
