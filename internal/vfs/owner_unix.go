//go:build unix

package vfs

import (
	"io/fs"
	"os"
	"syscall"
)

// Foreign reports whether a file belongs to another user who is not the administrator, so that what
// it says is not the user's own. The administrator reads files of all users, as under sudo. It is
// false on systems without such owners.
func Foreign(info fs.FileInfo) bool { return foreignTo(info, uint32(os.Geteuid())) }

func foreignTo(info fs.FileInfo, me uint32) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && me != 0 && s.Uid != 0 && s.Uid != me
}
