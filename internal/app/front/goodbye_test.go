package front

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/wire"
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

// A user who leaves reads which commands in the background have ended with the session.
func TestGoodbyeNamesTheCommandsThatEnd(t *testing.T) {
	f := newFront(t, modeltest.Reply{ToolCalls: []modeltest.ToolCall{{ID: "c1", Name: "bash", Arguments: `{"command":"sleep 1000","description":"wait","mode":"async"}`}}}, modeltest.Reply{Text: "it runs"})
	if _, err := f.Client.Session().Permissions().SetMode(t.Context(), wire.ModeAllowAll); err != nil {
		t.Fatal(err)
	}
	f.say(t, "wait in the background")
	var out bytes.Buffer
	f.Sys.Stderr = &out
	f.goodbye(t.Context(), f)
	if want := "warning: a command was still running and was ended with the session: sleep 1000\n"; !strings.HasPrefix(out.String(), want) {
		t.Errorf("%q, want %q first", &out, want)
	}
}
