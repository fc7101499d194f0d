//go:build !linux

package filter

import (
	"runtime"

	"golang.org/x/net/bpf"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Install fails: system call filters exist on Linux only.
func Install([]bpf.RawInstruction) error {
	return fault.New(fault.Unavailable, "filter.Install", runtime.GOOS, "system call filters exist on Linux only")
}
