package front_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// The screen says that the server loads its model, and then what a slow answer is waited for, with the time; Esc
// ends the wait.
func TestTheScreenSaysWhatIsWaitedFor(t *testing.T) {
	t.Parallel()
	loads := modeltest.Reply{Status: 503, Body: `{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`}
	late := say("Here it is.")
	late.Delay = 8 * time.Second
	d := sit(t, loads, loads, late, modeltest.Silent())
	d.says("hello")
	d.shows("the server is loading the model, ")
	d.shows("tokens to read")
	d.shows("Here it is.")
	d.idle()
	d.says("and now")
	d.shows("waiting for the model (")
	d.press("esc")
	d.shows("interrupted")
	d.leave()
	if all := d.all(); strings.Contains(all, "model call waits") || strings.Contains(all, "retrying") {
		t.Errorf("the screen has:\n%s", all)
	}
}
