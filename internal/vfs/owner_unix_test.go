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

func TestStrange(t *testing.T) {
	for _, tc := range []struct {
		name           string
		owner, cwd, me uint32
		sudo           string
		want           bool
	}{
		{"the user's own", 1000, 1000, 1000, "", false},
		{"the administrator's", 0, 1000, 1000, "", false},
		{"another user's", 1001, 1000, 1000, "", true},
		{"another user's, above a folder of that user", 1001, 1001, 1000, "", true},
		{"a user's, seen by the administrator", 1001, 0, 0, "", true},
		{"that of the user who has called sudo", 1000, 0, 0, "1000", false},
		{"another one's under sudo", 1001, 0, 0, "1000", true},
		{"a user's, above a folder of that user, seen by the administrator", 1001, 1001, 0, "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := strangeTo(owned{uid: tc.owner}, owned{uid: tc.cwd}, tc.me, tc.sudo); got != tc.want {
				t.Errorf("strange: %v, want %v", got, tc.want)
			}
		})
	}
}
