package attempt

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// secret is the file outside that attempts are made on; made again for each run.
func (w *World) secret() string { return filepath.Join(w.Outside, "secret") }

// furnish writes the files that attempts change, before the sandbox begins. In a process
// that executed itself again they are there already, and cannot be written.
func (w *World) furnish() error {
	for _, path := range []string{
		w.secret(), filepath.Join(w.Outside, "old"), filepath.Join(w.Outside, "moved"),
		filepath.Join(w.Outside, "wanted"), filepath.Join(w.Inside, "own"),
	} {
		err := os.WriteFile(path, []byte("canary"), 0o600)
		if err != nil && !errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	for _, name := range []string{"new", "folder", "fifo", "renamed", "link", "stolen", "hard", "device"} {
		os.Remove(filepath.Join(w.Outside, name))
		os.Remove(filepath.Join(w.Inside, name))
	}
	return nil
}

var files = []Attempt{
	{"read", func(w *World) error { return open(w.secret(), os.O_RDONLY) }},
	{"list", func(w *World) error { return second(os.ReadDir(w.Outside)) }},
	{"write", func(w *World) error { return open(w.secret(), os.O_WRONLY) }},
	{"create", func(w *World) error { return open(filepath.Join(w.Outside, "new"), os.O_WRONLY|os.O_CREATE) }},
	{"truncate", func(w *World) error { return os.Truncate(w.secret(), 3) }},
	{"open and truncate", func(w *World) error { return open(w.secret(), os.O_RDONLY|os.O_TRUNC) }},
	{"delete", func(w *World) error { return os.Remove(filepath.Join(w.Outside, "old")) }},
	{"rename", func(w *World) error {
		return os.Rename(filepath.Join(w.Outside, "moved"), filepath.Join(w.Outside, "renamed"))
	}},
	{"move in", func(w *World) error {
		return os.Rename(filepath.Join(w.Outside, "wanted"), filepath.Join(w.Inside, "stolen"))
	}},
	{"move out", func(w *World) error {
		return os.Rename(filepath.Join(w.Inside, "own"), filepath.Join(w.Outside, "own"))
	}},
	{"hard link", func(w *World) error { return os.Link(w.secret(), filepath.Join(w.Inside, "hard")) }},
	{"through a symbolic link", throughLink},
	{"make a folder", func(w *World) error { return os.Mkdir(filepath.Join(w.Outside, "folder"), 0o700) }},
	{"make a pipe", func(w *World) error { return syscall.Mkfifo(filepath.Join(w.Outside, "fifo"), 0o600) }},
	{"make a device inside", func(w *World) error {
		return syscall.Mknod(filepath.Join(w.Inside, "device"), syscall.S_IFBLK|0o600, 7<<8)
	}},
	{"make a device at a folder", func(w *World) error {
		return unix.Mknodat(unix.AT_FDCWD, "device", unix.S_IFCHR|0o600, 1<<8|3)
	}},
	{"write inside", func(w *World) error { return os.WriteFile("note", []byte("x"), 0o600) }},
	{"stat", func(w *World) error { return second(os.Stat(w.Outside)) }},
	{"getxattr", func(w *World) error {
		if _, err := unix.Getxattr(w.Outside, "user.nothing", nil); !errors.Is(err, unix.ENODATA) {
			return err
		}
		return nil
	}},
	{"watch a folder", func(w *World) error {
		fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return second(unix.InotifyAddWatch(fd, w.Outside, unix.IN_ALL_EVENTS))
	}},
}

// throughLink puts a link to the file outside where a folder of the sandbox was.
func throughLink(w *World) error {
	link := filepath.Join(w.Inside, "link")
	if err := os.Symlink(w.Outside, link); err != nil {
		return err
	}
	return open(filepath.Join(link, "secret"), os.O_RDONLY)
}

var metadata = []Attempt{
	{"chmod", func(w *World) error { return os.Chmod(w.Outside, 0o755) }},
	{"fchmodat2", func(w *World) error { return unix.Fchmodat(unix.AT_FDCWD, w.Outside, 0o700, unix.AT_SYMLINK_NOFOLLOW) }},
	{"chown", func(w *World) error { return os.Chown(w.Outside, os.Getuid(), os.Getgid()) }},
	{"utimes", func(w *World) error { return os.Chtimes(w.Outside, time.Unix(1, 0), time.Unix(1, 0)) }},
	{"setxattr", func(w *World) error { return unix.Setxattr(w.Outside, "user.canary", []byte("1"), 0) }},
	{"removexattr", func(w *World) error { return reached(unix.Removexattr(w.Outside, "user.nothing")) }},
	{"chattr by ioctl", func(w *World) error { return attributes(".") }},
	{"chattr by path", func(w *World) error {
		_, _, errno := unix.Syscall6(unix.SYS_FILE_SETATTR, 0, 0, 0, 0, 0, 0)
		return reachedBy(errno)
	}},
}

// attributes writes the attributes that a folder has, through a descriptor for reading.
func attributes(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	flags, err := unix.IoctlGetInt(int(f.Fd()), unix.FS_IOC_GETFLAGS)
	if err != nil {
		return err
	}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), unix.FS_IOC_SETFLAGS, uintptr(unsafe.Pointer(&flags)))
	return errorOf(errno)
}

func open(path string, flags int) error {
	f, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func second[T any](_ T, err error) error { return err }

// errorOf is errno as an error, nil for 0.
func errorOf(errno syscall.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}

// reached judges a call that is made with arguments that cannot succeed: any error but
// those of a filter means that the kernel began with it.
func reached(err error) error {
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSYS) {
		return err
	}
	return nil
}

func reachedBy(errno syscall.Errno) error { return reached(errno) }
