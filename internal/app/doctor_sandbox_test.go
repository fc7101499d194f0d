package app

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/terminal"
)

// Where no sandbox works, doctor says of each part why, and what to do next.
func TestDoctorNamesThePartsOfASandbox(t *testing.T) {
	s := sandbox.NewHost(sandbox.Options{Bwrap: "-", Landlock: -1}).Support()
	got := cli.Report(checkSandbox(s, config.Setting[string]{}), terminal.Paint{})
	if at := strings.Index(got, "install the package bubblewrap"); at >= 0 { // how depends on the system
		got = got[:at] + "install the package bubblewrap\n" + got[at+strings.Index(got[at:], "\n  note")+1:]
	}
	want := `Checks
  note  sandbox   none works here, so every command needs a rule or your
                  approval
  note            namespaces: no: bwrap is not installed
                  → install the package bubblewrap
  note            landlock: no: switched off
  note            filter: no: not tried, because it needs one of the others
`
	if len(s.Parts) == 1 { // on a system without sandboxes
		want = strings.Join(strings.SplitAfter(want, "\n")[:3], "")
		got = strings.Join(strings.SplitAfter(got, "\n")[:3], "")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("the checks (-want +got):\n" + diff)
	}
}
