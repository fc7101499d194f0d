//go:build linux

package sandbox_test

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// In the folders of the system, root sees no more than every user: services keep passwords
// there, in files that only their group can read.
func TestSettingsThatNotEveryUserCanReadAreHidden(t *testing.T) {
	for _, opts := range confinements {
		b := host(t, sandbox.ReadOnly, opts).Boxes(t.TempDir())
		defer b.Close()
		work, _ := world(t)
		p := sandbox.Policy{Mode: sandbox.ReadOnly, Folders: []string{work}}
		const script = `find /etc -maxdepth 4 -type f ! -perm -o+r -print0 2>/dev/null | while read -rd '' f; do head -c1 "$f" >/dev/null 2>&1 && echo "$f"; done; true`
		if out, _ := bash(t, b, p, script); out != "" {
			t.Errorf("bwrap %q shows %s", opts.Bwrap, strings.Fields(out))
		}
		if out, code := bash(t, b, p, "getent passwd root >/dev/null && cat /etc/hosts >/dev/null"); code != 0 {
			t.Errorf("bwrap %q: settings that everybody can read: %s", opts.Bwrap, out)
		}
	}
}
