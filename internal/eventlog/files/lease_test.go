package files_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// TestALeaseIsLostWithItsLog: a program that asks for no claim deletes the session or
// replaces its log. The stream notices at its next look at the folder.
func TestALeaseIsLostWithItsLog(t *testing.T) {
	for _, tc := range []struct {
		rule string
		do   func(*testing.T, *vfs.Mem)
	}{
		{"deleted", func(t *testing.T, mem *vfs.Mem) {
			if err := mem.RemoveAll(filepath.Join(root, "s")); err != nil {
				t.Fatal(err)
			}
		}},
		{"replaced", func(t *testing.T, mem *vfs.Mem) {
			put(t, mem, filepath.Join(root, "s", "events.jsonl"), []byte("{}\n"))
		}},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			mem := vfs.NewMem()
			s := createS(t, mem)
			if err := s.Claim(); err != nil {
				t.Fatal(err)
			}
			logtest.Append(t, s, 1, 1)
			tc.do(t, mem)
			wantNotLost(t, s)
			_, err := s.Lease.Put(t.Context(), []byte("x"))
			wantKind(t, err, fault.NotFound)
			wantLost(t, s)
			wantKind(t, s.Append(1, [][]byte{logtest.Record(2)}, true), fault.NotFound)
			if s.Len() != 1 {
				t.Errorf("Len() = %d, want 1", s.Len())
			}
			if info, err := mem.Stat(filepath.Join(root, "s", "events.payloads")); err == nil {
				t.Errorf("Put has made %s in a folder that is another's", info.Name())
			}
			wantKind(t, s.Claim(), fault.NotFound)
		})
	}
}

// TestALostLogIsNoticedWithTheIndex: without any error, at the latest when the index is
// written.
func TestALostLogIsNoticedWithTheIndex(t *testing.T) {
	mem := vfs.NewMem()
	s := createS(t, mem)
	if err := s.Claim(); err != nil {
		t.Fatal(err)
	}
	logtest.Append(t, s, 1, 64)
	if err := mem.RemoveAll(filepath.Join(root, "s")); err != nil {
		t.Fatal(err)
	}
	logtest.Append(t, s, 65, 128)
	wantLost(t, s)
}

// TestALostLogIsNoticedWithTheRelease: no append has noticed it, because a file that was
// removed can still be written. The release notices it, and the reason of the lease says so.
func TestALostLogIsNoticedWithTheRelease(t *testing.T) {
	mem := vfs.NewMem()
	s := createS(t, mem)
	for _, deleted := range []bool{false, true} {
		if err := s.Claim(); err != nil {
			t.Fatal(err)
		}
		lease := s.Lease
		at := int(s.Len())
		logtest.Append(t, s, at+1, at+1)
		if deleted {
			if err := mem.RemoveAll(filepath.Join(root, "s")); err != nil {
				t.Fatal(err)
			}
		}
		lease.Release()
		if deleted {
			wantLost(t, s)
		} else {
			wantNotLost(t, s)
		}
	}
}

func wantLost(t *testing.T, s *logtest.Writer) {
	t.Helper()
	select {
	case <-s.Lease.Lost():
		wantKind(t, s.Lease.Err(), fault.NotFound)
		if !strings.Contains(s.Lease.Err().Error(), "has deleted the session") {
			t.Errorf("the reason is %v", s.Lease.Err())
		}
	default:
		t.Error("the lease is not lost")
	}
}

func wantNotLost(t *testing.T, s *logtest.Writer) {
	t.Helper()
	select {
	case <-s.Lease.Lost():
		t.Errorf("the lease is lost: %v", s.Lease.Err())
	default:
	}
}
