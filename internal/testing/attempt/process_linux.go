package attempt

import (
	"fmt"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

var processes = []Attempt{
	{"command line of a process", func(w *World) error { return second(os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", w.Victim))) }},
	{"environment of a process", func(w *World) error { return second(os.ReadFile(fmt.Sprintf("/proc/%d/environ", w.Victim))) }},
	{"memory of a process", func(w *World) error { return open(fmt.Sprintf("/proc/%d/mem", w.Victim), os.O_RDWR) }},
	{"ptrace", trace},
	{"process_vm_readv", func(w *World) error {
		one := make([]byte, 1)
		local := []unix.Iovec{{Base: &one[0], Len: 1}}
		_, err := unix.ProcessVMReadv(w.Victim, local, []unix.RemoteIovec{{Base: 1, Len: 1}}, 0)
		return reached(err)
	}},
	{"pidfd_getfd", func(w *World) error {
		fd, err := unix.PidfdOpen(w.Victim, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return second(unix.PidfdGetfd(fd, 0, 0))
	}},
	{"kill", func(w *World) error { return syscall.Kill(w.Victim, syscall.SIGCONT) }},
	{"tgkill", func(w *World) error { return unix.Tgkill(w.Victim, w.Victim, syscall.SIGCONT) }},
	{"pidfd_send_signal", func(w *World) error {
		fd, err := unix.PidfdOpen(w.Victim, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return unix.PidfdSendSignal(fd, unix.SIGCONT, nil, 0)
	}},
	{"signals by fcntl", func(w *World) error {
		return second(unix.FcntlInt(0, unix.F_SETOWN, w.Victim))
	}},
	{"prlimit", func(w *World) error {
		var now unix.Rlimit
		if err := unix.Prlimit(w.Victim, unix.RLIMIT_CORE, nil, &now); err != nil {
			return err
		}
		return unix.Prlimit(w.Victim, unix.RLIMIT_CORE, &now, nil)
	}},
	{"renice", func(w *World) error { return renice(w.Victim) }},
	// All processes of a user, of one that has none: with another it would work, on all of
	// the machine that the user of the test runs.
	{"renice all", call(unix.SYS_SETPRIORITY, syscall.PRIO_USER, 1<<31-16, 0)},
	{"nice itself", func(*World) error { return renice(0) }},
	{"ioprio_set", func(w *World) error {
		_, _, errno := unix.Syscall(unix.SYS_IOPRIO_SET, 1, uintptr(w.Victim), 3<<13)
		return errorOf(errno)
	}},
	{"sched_setaffinity", func(w *World) error {
		var set unix.CPUSet
		if err := unix.SchedGetaffinity(w.Victim, &set); err != nil {
			return err
		}
		return unix.SchedSetaffinity(w.Victim, &set)
	}},
	{"threads", func(*World) error { return exit0(nil) }},
	{"user namespace by clone", func(*World) error {
		return exit0(&syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER})
	}},
	{"user namespace by unshare", func(*World) error {
		return exit0(&syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWUSER})
	}},
	{"clone3", func(*World) error {
		_, _, errno := unix.Syscall(unix.SYS_CLONE3, 0, 0, 0)
		return reachedBy(errno)
	}},
	{"setns", func(*World) error { return reached(unix.Setns(-1, 0)) }},
}

// renice gives a process the priority that it has.
func renice(pid int) error {
	reversed, err := unix.Getpriority(unix.PRIO_PROCESS, pid) // 20 less the priority
	if err != nil {
		return err
	}
	return unix.Setpriority(unix.PRIO_PROCESS, pid, 20-reversed)
}

// trace attaches to the victim and detaches again, which one thread must do.
func trace(w *World) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.PtraceAttach(w.Victim); err != nil {
		return err
	}
	var status unix.WaitStatus
	if _, err := unix.Wait4(w.Victim, &status, unix.WALL, nil); err != nil {
		return err
	}
	return unix.PtraceDetach(w.Victim)
}

// exit0 starts a process. It fails if the process cannot be made, not if the file that it
// would run cannot be opened.
func exit0(attributes *syscall.SysProcAttr) error {
	p, err := os.StartProcess("/proc/self/exe", []string{"-", "-test.run=^$"}, &os.ProcAttr{Sys: attributes, Env: []string{}})
	if err != nil {
		return err
	}
	return second(p.Wait())
}

// call makes a system call whose arguments cannot succeed, and judges as [reached] does.
func call(number uintptr, args ...uintptr) func(*World) error {
	return func(*World) error {
		var a [6]uintptr
		copy(a[:], args)
		fd, _, errno := unix.Syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5])
		if errno == 0 {
			unix.Close(int(fd))
			return nil
		}
		return reached(errno)
	}
}
