//go:build unix

package vfs

import (
	"io/fs"
	"syscall"
	"testing"
)

// owned is a file of a user.
type owned struct {
	fs.FileInfo
	uid uint32
}

func (o owned) Sys() any { return &syscall.Stat_t{Uid: o.uid} }

func TestForeign(t *testing.T) {
	for _, tc := range []struct {
		owner, me uint32
		want      bool
	}{{1000, 1000, false}, {1001, 1000, true}, {0, 1000, false}, {1000, 0, false}} {
		if got := foreignTo(owned{uid: tc.owner}, tc.me); got != tc.want {
			t.Errorf("a file of %d is foreign to %d: %v", tc.owner, tc.me, got)
		}
	}
}
