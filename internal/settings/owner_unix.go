//go:build unix

package settings

import (
	"io/fs"
	"os"
	"syscall"
)

// foreign reports whether a file belongs to another user who is not the administrator. The
// administrator reads files of all users, as under sudo.
func foreign(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	me := uint32(os.Geteuid())
	return ok && me != 0 && s.Uid != 0 && s.Uid != me
}
