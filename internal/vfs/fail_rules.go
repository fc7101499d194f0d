package vfs

import (
	"strings"
	"syscall"
	"time"
)

// NthOp fails the nth operation with this name, and no other, with err. The first is 1; a
// number below 1 fails none. name is as in [Op.Name]; "" counts every operation.
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

// NoSpace is a disk with room for after more bytes. The write that does not fit writes
// what fits and fails with [syscall.ENOSPC]. Every later write fails without writing.
// Removing and truncating free no room, and creating names takes none.
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

// TornWrite breaks the nth write, counted from 1: keep bytes of it reach the file, then
// it fails with [syscall.EIO]. Later writes succeed.
func TornWrite(n, keep int) Rule {
	return NthOp("write", n, &Short{Keep: keep, Err: syscall.EIO})
}

// SlowSync is a disk on which each sync, syncdir and syncall takes this long, and nothing
// else takes any time.
func SlowSync(each time.Duration) Rule {
	return func(op Op) error {
		if strings.HasPrefix(op.Name, "sync") {
			return &Slow{For: each}
		}
		return nil
	}
}
