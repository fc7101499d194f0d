//go:build linux

package sandbox_test

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// Root, even without capabilities, owns the settings of the kernel in /proc/sys: one of them
// names a program that the kernel runs outside. The first process of the sandbox is bwrap,
// which has no filter of system calls, so its memory cannot be written either.
func TestProcCannotBeWritten(t *testing.T) {
	h := host(t, sandbox.ReadOnly, sandbox.Options{})
	b := h.Boxes(t.TempDir())
	defer b.Close()
	for _, mode := range []sandbox.Mode{sandbox.ReadOnly, sandbox.WorkspaceWrite} {
		if !h.Support().Has(mode) {
			continue
		}
		p := sandbox.Policy{Mode: mode, Folders: []string{t.TempDir()}}
		// Opened for writing, and nothing written.
		const open = `for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/hostname /proc/sys/vm/drop_caches /proc/sysrq-trigger /proc/[0-9]*/mem /proc/[0-9]*/oom_score_adj; do
			(exec 5<>$f) 2>/dev/null && echo "$f"; done; true`
		if out, code := bash(t, b, p, open); code != 0 || strings.TrimSpace(out) != "" {
			t.Errorf("%s: can be opened for writing (%d):\n%s", mode, code, out)
		}
	}
}
