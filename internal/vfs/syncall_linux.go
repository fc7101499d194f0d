package vfs

import (
	"errors"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// syncAll is syncfs, where it means what [File] says.
func syncAll(f *os.File) error {
	return control(f, func(fd uintptr) error {
		if !tellsErrors() || !writesThrough(int(fd)) {
			return errors.ErrUnsupported
		}
		for {
			if err := unix.Syncfs(int(fd)); err != unix.EINTR {
				return err
			}
		}
	})
}

// tellsErrors reports whether syncfs tells of bytes that could not be written,
// as it does since Linux 5.8. Before, it succeeded all the same.
func tellsErrors() bool {
	var name unix.Utsname
	if unix.Uname(&name) != nil {
		return false
	}
	first, rest, _ := strings.Cut(unix.ByteSliceToString(name.Release[:]), ".")
	second := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	major, merr := strconv.Atoi(first)
	minor, nerr := strconv.Atoi(second)
	return merr == nil && nerr == nil && (major > 5 || major == 5 && minor >= 8)
}

// writesThrough reports whether the file system of fd is known to make all durable
// that fsync of each file would. That of FUSE does not ask the program behind it,
// overlayfs hears of no error from below, and of others nobody has made sure.
func writesThrough(fd int) bool {
	var st unix.Statfs_t
	return unix.Fstatfs(fd, &st) == nil && st.Type == unix.EXT4_SUPER_MAGIC
}
