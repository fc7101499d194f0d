//go:build !linux

package landlock

import (
	"runtime"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// ABI returns 0 and the reason: Landlock exists on Linux only.
func ABI() (int, error) { return 0, absent("landlock.ABI") }

// Exec fails: Landlock exists on Linux only.
func Exec(int, Rules, []string, []string) error { return absent("landlock.Exec") }

func absent(op string) error {
	return fault.New(fault.Unavailable, op, runtime.GOOS, "Landlock exists on Linux only")
}
