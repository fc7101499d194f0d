//go:build linux

package sandbox

import (
	"slices"
	"strings"
	"testing"
)

// The advice is one command that can be copied, for each package manager.
func TestTheAdviceIsOneCommand(t *testing.T) {
	for _, tc := range []struct {
		uid   int
		files []string
		want  string
	}{
		{1000, []string{"/usr/bin/apt-get"}, "install the package bubblewrap: sudo apt-get install bubblewrap"},
		{0, []string{"/usr/bin/dnf"}, "install the package bubblewrap: dnf install bubblewrap"},
		{1000, []string{"/usr/bin/pacman"}, "install the package bubblewrap: sudo pacman -S bubblewrap"},
		{0, []string{"/sbin/apk"}, "install the package bubblewrap: apk add bubblewrap"},
		{1000, []string{"/usr/bin/zypper"}, "install the package bubblewrap: sudo zypper install bubblewrap"},
		{1000, nil, "install the package bubblewrap"},
	} {
		exists := func(file string) bool { return slices.Contains(tc.files, file) }
		if got := installAdviceFor(tc.uid, exists); got != tc.want {
			t.Errorf("%d, %v: %q, want %q", tc.uid, tc.files, got, tc.want)
		}
		exists = func(file string) bool { return file == "/.dockerenv" || slices.Contains(tc.files, file) }
		if got := installAdviceFor(tc.uid, exists); !strings.HasPrefix(got, tc.want+"; this is a container") || !strings.Contains(got, "docker run --security-opt") {
			t.Errorf("in a container: %q", got)
		}
	}
}
