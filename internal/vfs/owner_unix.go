//go:build unix

package vfs

import (
	"io/fs"
	"os"
	"strconv"
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

// ownersCount reports whether [Strange] compares owners.
const ownersCount = true

// strange reports whether the owner of a file must not decide what the project in the folder here is.
func strange(file, here fs.FileInfo) bool {
	return strangeTo(file, here, uint32(os.Geteuid()), os.Getenv("SUDO_UID"))
}

func strangeTo(file, here fs.FileInfo, me uint32, sudo string) bool {
	s, ok := file.Sys().(*syscall.Stat_t)
	if !ok || s.Uid == me || s.Uid == 0 {
		return false
	}
	if me != 0 {
		return true
	}
	if strconv.FormatUint(uint64(s.Uid), 10) == sudo {
		return false
	}
	at, ok := here.Sys().(*syscall.Stat_t)
	return !ok || at.Uid != s.Uid
}
