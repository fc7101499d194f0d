package sandbox

import (
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// stampOf returns the state of the folder at a path. ok is false if there is none.
func stampOf(path string) (s stamp, ok bool) {
	var stat unix.Stat_t
	if unix.Lstat(path, &stat) != nil {
		return stamp{}, false
	}
	return stampIn(&stat), true
}

func stampIn(stat *unix.Stat_t) stamp {
	return stamp{uint64(stat.Dev), stat.Ino, stat.Ctim.Nano()}
}

// openFolder opens a folder, no link to one, and returns its state before it is read.
func openFolder(path string) (*os.File, stamp, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, stamp{}, os.NewSyscallError("open", err)
	}
	f := os.NewFile(uintptr(fd), path)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		f.Close()
		return nil, stamp{}, os.NewSyscallError("fstat", err)
	}
	return f, stampIn(&stat), nil
}

// timesKept are the file systems that set the time of a folder's last change when an entry is
// made, renamed or removed, also by another process. Those of networks, and those that a program
// implements, need not. Source: statfs(2).
var timesKept = []int64{
	unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.OVERLAYFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC,
}

// keepsTimes reports whether a path is on one of these.
func keepsTimes(path string) bool {
	var stat unix.Statfs_t
	return unix.Statfs(path, &stat) == nil && slices.Contains(timesKept, int64(stat.Type))
}

// changedAt is when a file was changed the last time, also its mode or its names, in nanoseconds since 1970.
func changedAt(info os.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ctim.Nano()
	}
	return 0
}
