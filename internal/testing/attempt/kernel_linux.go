package attempt

import (
	"golang.org/x/sys/unix"
)

var kernel = []Attempt{
	{"io_uring", call(unix.SYS_IO_URING_SETUP, 0, 0)},
	{"userfaultfd", call(unix.SYS_USERFAULTFD, unix.O_CLOEXEC|1)},
	{"keyctl", call(unix.SYS_KEYCTL, unix.KEYCTL_GET_KEYRING_ID, ^uintptr(2))},
	{"bpf", call(unix.SYS_BPF, ^uintptr(0))},
	{"perf_event_open", call(unix.SYS_PERF_EVENT_OPEN, 0)},
	{"mount", call(unix.SYS_MOUNT, 0, 0, 0)},
	{"open_tree", call(unix.SYS_OPEN_TREE, 0, 0, ^uintptr(0))},
	{"fsopen", call(unix.SYS_FSOPEN, 0)},
	{"name_to_handle_at", call(unix.SYS_NAME_TO_HANDLE_AT, 0)},
	{"personality", call(unix.SYS_PERSONALITY, 0xffffffff)},
	{"System V shared memory", call(unix.SYS_SHMGET, 0x51de, 4096)},
	{"message queue", call(unix.SYS_MQ_OPEN, 0)},
	{"seccomp", call(unix.SYS_SECCOMP, ^uintptr(0))},
	{"TIOCSTI", call(unix.SYS_IOCTL, ^uintptr(0), unix.TIOCSTI)},
	{"TIOCSTI with a high bit", call(unix.SYS_IOCTL, ^uintptr(0), 1<<32|unix.TIOCSTI)},
	{"TIOCGWINSZ", call(unix.SYS_IOCTL, ^uintptr(0), unix.TIOCGWINSZ)},
	{"a call of the future", call(499)},
	{"memfd_create", func(*World) error {
		fd, err := unix.MemfdCreate("x", 0)
		if err != nil {
			return err
		}
		return unix.Close(fd)
	}},
}
