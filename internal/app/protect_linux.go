package app

import (
	"syscall"

	"github.com/sidestick-dev/sidestick/internal/config"
)

// Protect makes this process one that other processes of the user cannot look into: commands
// of a model run as the same user, and its environment and memory hold keys. It lasts until
// the process ends; programs that it starts are not affected. It does not stop root. The
// process leaves no core dump, and no debugger can attach, unless SIDESTICK_DUMPABLE says
// otherwise. Call it first.
func Protect(getenv func(string) string) {
	if !config.Dumpable(getenv) {
		_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_DUMPABLE, 0, 0) // cannot fail with these arguments
	}
}
