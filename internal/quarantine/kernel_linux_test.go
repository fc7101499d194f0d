package quarantine_test

import (
	"strings"
	"testing"
)

// A folder of the system, such as /proc, has links into the folders of every process. Nobody has made them for
// programs to obey.
func TestFoldersOfTheSystemAreNotWatched(t *testing.T) {
	x := newProject(t)
	x.policy.Folders = append(x.policy.Folders, "/proc")
	x.command("make", "a")
	if found := x.command("make", "b"); found.Any() {
		t.Errorf("found %.300v", found)
	}
	x.guard.Close()
	x.open()
	for _, left := range x.guard.Recover().Left {
		if strings.HasPrefix(left, "/proc") {
			t.Fatalf("the next session warns of %s", left)
		}
	}
}
