package vfs

import (
	"errors"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// syncAll is syncfs, where that does what [File] promises.
func syncAll(f *os.File) error {
	return control(f, func(fd uintptr) error {
		if !reportsErrors() || !writesThrough(int(fd)) {
			return errors.ErrUnsupported
		}
		for {
			if err := unix.Syncfs(int(fd)); err != unix.EINTR {
				return err
			}
		}
	})
}

// reportsErrors reports whether syncfs reports bytes that could not be written, as it
// does since Linux 5.8. Before, it succeeded anyway.
func reportsErrors() bool {
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

// writesThrough reports whether syncfs on the file system of fd is known to make
// everything durable that fsync of each file would. On FUSE it does not reach the program
// behind the file system, on overlayfs errors of the lower layers are lost, and other
// file systems have not been examined.
func writesThrough(fd int) bool {
	var st unix.Statfs_t
	return unix.Fstatfs(fd, &st) == nil && st.Type == unix.EXT4_SUPER_MAGIC
}
