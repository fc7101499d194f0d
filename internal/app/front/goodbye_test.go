package front

import (
	"bytes"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model/modeltest"
)

// Who leaves the interface reads how to continue, unless there is nothing to continue.
func TestGoodbye(t *testing.T) {
	f := newFront(t, modeltest.Reply{Text: "Hello."})
	var out bytes.Buffer
	f.Sys.Stderr = &out
	f.goodbye(t.Context(), f)
	if out.Len() > 0 {
		t.Errorf("a session without a message: %q", &out)
	}
	f.say(t, "Hi.")
	f.goodbye(t.Context(), f)
	want := "to continue: sidestick --resume " + f.runtime.Parts.Sessions.Shortener(t.Context())(f.ID()) + "\n"
	if out.String() != want {
		t.Errorf("%q, want %q", &out, want)
	}
	if e := f.mustRun(t, "new", ""); e.Text != "a new session" || e.Session == nil {
		t.Errorf("/new: %+v", e)
	}
}
