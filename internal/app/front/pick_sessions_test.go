package front

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model/modeltest"
	"github.com/sidestick-dev/sidestick/internal/operate"
)

// The list of sessions shows and finds what the user wrote, and not what was removed from a history.
func TestSessionsAreFound(t *testing.T) {
	f := newFront(t, modeltest.Reply{Text: "It is mended."}, modeltest.Reply{Text: "It has stripes."}, modeltest.Reply{Text: "Paris."})
	for _, text := range []string{"Mend the parser.", "What does a zebra have?", "Where is the lighthouse?"} {
		f.say(t, text)
	}
	turns, _, err := operate.Turns(t.Context(), f.now().client.Session())
	if err != nil || len(turns) != 3 {
		t.Fatalf("%d turns, %v", len(turns), err)
	}
	last := slices.IndexFunc(turns, func(turn operate.Turn) bool { return strings.Contains(turn.Text, "lighthouse") })
	if _, err := operate.Rewind(t.Context(), f.now().client.Session(), turns[last], false); err != nil {
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

// Tab shows the next view. What was read for the view before, and comes late, does not replace it.
func TestViewsOfTheSessions(t *testing.T) {
	f := newFront(t, modeltest.Reply{Text: "It is mended."})
	f.say(t, "Mend the parser.")
	t.Chdir(t.TempDir())
	p, err := f.Run(t.Context(), "sessions", "")
	if err != nil {
		t.Fatal(err)
	}
	var read []func()
	p.Pick.Open(func(work func(context.Context) func()) { read = append(read, work(t.Context())) })
	press(t, p.Pick, "tab")
	if len(read) != 2 {
		t.Fatalf("the sessions were read %d times", len(read))
	}
	read[1]()
	read[0]()
	wantIn(t, shownList(p.Pick.List), "all folders", "Mend the parser")
	press(t, p.Pick, "tab")
	read[len(read)-1]()
	if text := shownList(p.Pick.List); !strings.Contains(text, "this folder") || strings.Contains(text, "Mend the parser") {
		t.Errorf("the sessions of an empty folder:\n%s", text)
	}
}
