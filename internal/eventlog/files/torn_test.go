package files_test

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

func TestTornWriteAtEveryByte(t *testing.T) {
	for keep := range len(logtest.Record(1)) + 1 {
		mem := vfs.NewMem()
		s := createS(t, vfs.Fail(mem, vfs.TornWrite(2, keep)))
		logtest.Append(t, s, 1, 1)
		before := logOf(t, mem)
		wantKind(t, s.Append(1, [][]byte{logtest.Record(2)}, true), fault.Unavailable)
		if got := logOf(t, mem); got != before || s.Len() != 1 {
			t.Fatalf("%d bytes written and taken back: the log is %q", keep, got)
		}
		logtest.Append(t, s, 2, 3) // the disk works again
		life{tried: 3}.check(t, mem, 3, "after")
	}
}

func TestTornWriteThatCannotBeTakenBack(t *testing.T) {
	for keep := 1; keep <= len(logtest.Record(2)); keep++ {
		mem := vfs.NewMem()
		torn, cut := vfs.TornWrite(2, keep), vfs.NthOp("truncate", 1, syscall.EIO)
		s := createS(t, vfs.Fail(mem, func(op vfs.Op) error {
			if err := torn(op); err != nil {
				return err
			}
			return cut(op)
		}))
		logtest.Append(t, s, 1, 1)
		for range 3 {
			wantKind(t, s.Append(1, [][]byte{logtest.Record(2)}, false), fault.Unavailable)
		}
		if got := logtest.Collect(t, s.Read(1)); len(got) != 1 {
			t.Errorf("readers see %q", got)
		}
		life{tried: 2}.check(t, mem, 1, fmt.Sprintf("%d bytes stayed", keep))
	}
}

func TestFullDisk(t *testing.T) {
	size := len(logtest.Record(1)) + 1
	for space := range 3 * size {
		mem := vfs.NewMem()
		full, freed := vfs.NoSpace(space), false
		s := createS(t, vfs.Fail(mem, func(op vfs.Op) error {
			if freed {
				return nil
			}
			return full(op)
		}))
		acked, err := 0, error(nil)
		for err == nil {
			if err = s.Append(uint64(acked), [][]byte{logtest.Record(acked + 1)}, true); err == nil {
				acked++
			}
		}
		if acked != space/size {
			t.Errorf("with room for %d bytes %d records are acked", space, acked)
		}
		wantKind(t, err, fault.Unavailable)
		wantHint(t, err, "free some space", root)
		life{tried: acked + 1}.check(t, mem, acked, "the disk is full")
		// check has appended, as another process would: this one must notice.
		freed = true
		wantKind(t, s.Append(uint64(acked), [][]byte{logtest.Record(9)}, true), fault.Conflict)
	}
}

func TestFullDiskIsGoneOnWithWhenThereIsSpace(t *testing.T) {
	mem := vfs.NewMem()
	s := createS(t, vfs.Fail(mem, vfs.NthOp("write", 2, &vfs.Short{Keep: 5, Err: syscall.ENOSPC})))
	logtest.Append(t, s, 1, 1)
	wantKind(t, s.Append(1, [][]byte{logtest.Record(2)}, true), fault.Unavailable)
	logtest.Append(t, s, 2, 4)
	life{tried: 4}.check(t, mem, 4, "after")
}

func TestAFailedSyncIsNotRetried(t *testing.T) {
	for _, op := range []string{"sync", "syncdir"} {
		t.Run(op, func(t *testing.T) {
			mem := vfs.NewMem()
			mustOpen(t, files.Options{Root: root, FS: mem}) // so that the root's own syncs are done
			s := createS(t, vfs.Fail(mem, vfs.NthOp(op, 1, syscall.EIO)))
			if err := s.Append(0, [][]byte{logtest.Record(1)}, false); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				wantKind(t, s.Append(1, [][]byte{logtest.Record(2)}, true), fault.Unavailable)
			}
			if s.Len() != 1 {
				t.Errorf("Len() = %d, want 1", s.Len())
			}
			life{tried: 1}.check(t, mem, 1, "after")
		})
	}
}
