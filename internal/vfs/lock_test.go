package vfs_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/vfs"
)

func TestChange(t *testing.T) {
	const name = "/new/folder/file"
	errRefused := errors.New("refused")
	writes := 0
	disk := vfs.Fail(vfs.NewMem(), func(op vfs.Op) error {
		if op.Name == "rename" && strings.HasSuffix(op.Path, "file") {
			writes++
		}
		return nil
	})
	for _, tc := range []struct {
		name, was string // "absent": there is no file
		next      []byte
		err       error
		holds     string
		writes    int
	}{
		{"no file, and none wanted", "absent", nil, nil, "absent", 0},
		{"a new file", "absent", []byte("1"), nil, "1", 1},
		{"the same contents", "1", []byte("1"), nil, "1", 0},
		{"other contents", "1", []byte("2"), nil, "2", 1},
		{"an error", "2", []byte("3"), errRefused, "2", 0},
		{"an empty file", "2", []byte{}, nil, "", 1},
		{"a file that was empty", "", []byte("4"), nil, "4", 1},
	} {
		writes = 0
		err := vfs.Change(t.Context(), disk, name, func(now []byte) ([]byte, error) {
			if got := contents(now, now == nil); got != tc.was {
				t.Errorf("%s: the file holds %q, want %q", tc.name, got, tc.was)
			}
			return tc.next, tc.err
		})
		now, absent := disk.ReadFile(name)
		if got := contents(now, absent != nil); err != tc.err || got != tc.holds || writes != tc.writes {
			t.Errorf("%s: Change = %v, and then the file holds %q after %d writes; want %v, %q, %d",
				tc.name, err, got, writes, tc.err, tc.holds, tc.writes)
		}
	}
}

func contents(b []byte, absent bool) string {
	if absent {
		return "absent"
	}
	return string(b)
}
