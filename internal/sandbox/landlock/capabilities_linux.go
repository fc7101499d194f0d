package landlock

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// dropCapabilities takes all capabilities from the calling thread, and from every program
// that it starts or becomes: also those of root, for which execve would give them back.
// Landlock does not stop a process with CAP_PERFMON from reading the environment of others.
// It wants PR_SET_NO_NEW_PRIVS.
func dropCapabilities() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("dropping the ambient capabilities: %w", err)
	}
	if err := dropBounding(); err != nil {
		return err
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("dropping the capabilities: %w", err)
	}
	return nil
}

// dropBounding empties the set that bounds what execve gives. A process without CAP_SETPCAP
// may not do that; execve gives it none all the same, because of PR_SET_NO_NEW_PRIVS.
func dropBounding() error {
	for capability := uintptr(0); ; capability++ {
		has, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, capability, 0, 0, 0)
		if errors.Is(err, unix.EINVAL) {
			return nil // the kernel knows no more
		}
		if err == nil && has == 1 {
			err = unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0)
		}
		if errors.Is(err, unix.EPERM) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("dropping capability %d: %w", capability, err)
		}
	}
}
