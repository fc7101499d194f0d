package proctree

import "syscall"

// setChildSubreaper is PR_SET_CHILD_SUBREAPER of prctl(2), since Linux 3.4.
const setChildSubreaper = 36

// adoptOrphans makes this process the parent of descendants that have lost theirs, so that
// they can be found.
func adoptOrphans() {
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0) // cannot fail with these arguments
}

// ownSession starts a program in a process session of its own. It is killed when the keeper
// dies.
func ownSession() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// running is the path of the running program, whatever became of its file.
const running = "/proc/self/exe"
