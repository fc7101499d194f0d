//go:build linux

package sandbox_test

import (
	"os"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// Root inside changes devices of its own, not those of the machine.
func TestTheDevicesOfTheMachineCannotBeChanged(t *testing.T) {
	b := host(t, sandbox.WorkspaceWrite, sandbox.Options{}).Boxes(t.TempDir())
	defer b.Close()
	work, _ := world(t)
	p := sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{work}}
	before := map[string]os.FileInfo{}
	names := []string{"full", "null", "random", "tty", "urandom", "zero"}
	for _, name := range names {
		info, err := os.Stat("/dev/" + name)
		if err != nil {
			t.Fatal(err)
		}
		before[name] = info
	}
	for _, name := range names {
		out, code := bash(t, b, p, "touch -d @1000000000 /dev/"+name+" 2>/dev/null; echo x > /dev/null && head -c 1 /dev/zero | wc -c")
		if code != 0 || out != "1\n" {
			t.Errorf("after a change of %s, the devices do not work: %q, exit code %d", name, out, code)
		}
		if after, err := os.Stat("/dev/" + name); err != nil || !after.ModTime().Equal(before[name].ModTime()) {
			t.Errorf("the time of /dev/%s was changed from inside: %v", name, err)
		}
	}
}
