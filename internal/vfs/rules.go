package vfs

import (
	"strings"
	"syscall"
	"time"
)

// NthOp fails the nth operation of that name, and no other, with err. The first
// is 1; below 1 fails none. name is as in [Op.Name]; "" counts every operation.
func NthOp(name string, n int, err error) Rule {
	seen := 0
	return func(op Op) error {
		if name != "" && op.Name != name {
			return nil
		}
		if seen++; seen == n {
			return err
		}
		return nil
	}
}

// NoSpace is a disk with room for so many bytes more. The write that does not
// fit writes what does and fails with [syscall.ENOSPC]; so does every later one,
// writing nothing. Removing and truncating give no room back, and creating names
// takes none.
func NoSpace(after int) Rule {
	free := max(after, 0)
	return func(op Op) error {
		if op.Name != "write" {
			return nil
		}
		fits := min(op.Bytes, free)
		free -= fits
		if fits < op.Bytes {
			return &Short{Keep: fits, Err: syscall.ENOSPC}
		}
		return nil
	}
}

// TornWrite breaks the nth write, counted from 1: keep bytes of it reach the
// file, then it fails with [syscall.EIO]. Writes after it succeed.
func TornWrite(n, keep int) Rule {
	return NthOp("write", n, &Short{Keep: keep, Err: syscall.EIO})
}

// SlowSync is a disk on which every sync, syncdir and syncall takes so long, and
// nothing else any time.
func SlowSync(each time.Duration) Rule {
	return func(op Op) error {
		if strings.HasPrefix(op.Name, "sync") {
			return &Slow{For: each}
		}
		return nil
	}
}
