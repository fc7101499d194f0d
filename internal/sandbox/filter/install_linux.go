package filter

import (
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Install puts the filter on all threads of the process, and so on every program that it
// starts from now on. It cannot be undone. It also gives up set-user-ID programs for good
// (PR_SET_NO_NEW_PRIVS), without which the kernel takes filters from root only. After an
// error the process has no filter and must not run commands.
func Install(program []bpf.RawInstruction) error {
	fail := func(err error) error {
		return fault.New(fault.Unavailable, "filter.Install", "", "the kernel did not take the system call filter: %w", err)
	}
	if len(program) == 0 || len(program) > unix.BPF_MAXINSNS {
		return fault.New(fault.Internal, "filter.Install", "", "a filter of %d instructions", len(program))
	}
	instructions := make([]unix.SockFilter, len(program))
	for i, r := range program {
		instructions[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	fprog := unix.SockFprog{Len: uint16(len(instructions)), Filter: &instructions[0]}

	// Both calls must be made by the same thread; the second passes the first one's result
	// on to all the others.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fail(err)
	}
	thread, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&fprog)))
	if errno != 0 {
		return fail(errno)
	}
	if thread != 0 {
		return fault.New(fault.Unavailable, "filter.Install", "", "thread %d has a filter of its own", thread)
	}
	return nil
}
