package sandbox

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// collectAdopted collects the exit statuses of processes that a keeper without namespaces has
// adopted, so that they do not stay as zombies. The programs in started have goroutines of their
// own that wait for them. No program may be starting meanwhile.
func collectAdopted(started map[int]bool) {
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		pid := int(*(*int32)(unsafe.Add(unsafe.Pointer(&info), offPid)))
		if err != nil || pid == 0 || started[pid] {
			return // the next call collects what is behind a program that has just ended
		}
		if _, err := unix.Wait4(pid, nil, unix.WNOHANG, nil); err != nil {
			return
		}
	}
}

// offPid is the offset of si_pid in siginfo_t on 64-bit systems.
const offPid = 16
