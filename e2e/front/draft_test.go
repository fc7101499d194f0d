package front_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// drafts are the files of texts that were not sent.
func (d *desk) drafts() []string {
	d.t.Helper()
	names, err := filepath.Glob(filepath.Join(d.home, "drafts", "*.json"))
	if err != nil {
		d.t.Fatal(err)
	}
	return names
}

// The text in the input box survives kill -9: the next start in the folder has it, and sending it forgets it.
func TestTheDraftSurvivesKill(t *testing.T) {
	t.Parallel()
	d := newDesk(t, say("Hello."))
	d.start()
	d.empty()
	d.types("half a thought")
	for late := time.After(patience); len(d.drafts()) == 0; { // nothing is written to the terminal then
		select {
		case <-time.After(10 * time.Millisecond):
		case <-late:
			t.Fatal("the draft was not stored")
		}
	}
	if info, err := os.Stat(d.drafts()[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
	if err := d.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	d.ends()
	d.start()
	d.shows("before sidestick ended; Ctrl-C clears it", "› half a thought")
	d.press("enter")
	d.shows("Hello.")
	d.idle()
	if left := d.drafts(); len(left) != 0 {
		t.Errorf("%v is left of a draft that was sent", left)
	}
	d.leave()
}
