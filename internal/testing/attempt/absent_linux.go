package attempt

import (
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"github.com/sidestick-dev/sidestick/internal/sandbox/filter"
)

// HideLandlock makes Landlock look absent to this process and its children, as it does in some
// containers. It cannot be undone.
func HideLandlock() error {
	program, err := bpf.Assemble([]bpf.Instruction{
		bpf.LoadAbsolute{Off: 0, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_LANDLOCK_CREATE_RULESET, SkipFalse: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
		bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW},
	})
	if err != nil {
		return err
	}
	return filter.Install(program)
}
