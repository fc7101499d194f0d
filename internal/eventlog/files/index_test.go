package files_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

var (
	logPath   = filepath.Join(root, "s", "events.jsonl")
	indexPath = filepath.Join(root, "s", "events.idx")
)

const sealed = 1

// indexOf returns the index that the package comment describes, byte by byte.
func indexOf(log string, flags func(n int) uint32) []byte {
	index := []byte("SSTICKIX\x01\x00\x00\x00\x38\x00\x00\x00")
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	var sum [32]byte
	off, n := 0, 0
	for line := range strings.Lines(log) {
		n++
		rec := []byte(strings.TrimSuffix(line, "\n"))
		sum = sha256.Sum256(append(sum[:], rec...))
		e := binary.LittleEndian.AppendUint64(nil, uint64(off))
		e = binary.LittleEndian.AppendUint32(e, uint32(len(rec)))
		e = binary.LittleEndian.AppendUint32(e, crc32.Checksum(rec, castagnoli))
		e = append(e, sum[:]...)
		e = binary.LittleEndian.AppendUint32(e, flags(n))
		e = binary.LittleEndian.AppendUint32(e, crc32.Checksum(e, castagnoli))
		index = append(index, e...)
		off += len(line)
	}
	return index
}

func always(flags uint32) func(int) uint32 { return func(int) uint32 { return flags } }

// closedLog returns a file system where session "s" was written by this package,
// in order, durably, and closed.
func closedLog(t testing.TB, records int) *vfs.Mem {
	t.Helper()
	mem := vfs.NewMem()
	s, err := createIn(mustOpen(t, files.Options{Root: root, FS: mem}), "s")
	if err != nil {
		t.Fatal(err)
	}
	logtest.Append(t, s, 1, records)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return mem
}

func put(t testing.TB, fsys vfs.FS, path string, data []byte) {
	t.Helper()
	if err := vfs.WriteFileAtomic(fsys, path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func wantIndex(t *testing.T, fsys vfs.FS, want []byte) {
	t.Helper()
	got, err := fsys.ReadFile(indexPath)
	same := 0
	for same < min(len(got), len(want)) && got[same] == want[same] {
		same++
	}
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("the index has %d bytes, %v, want %d; they differ from byte %d on:\n%.56x\n%.56x", len(got), err, len(want), same, got[same:], want[same:])
	}
}

func TestTheIndexOnDisk(t *testing.T) {
	mem := vfs.NewMem()
	s := createS(t, mem)
	logtest.Append(t, s, 1, 63)
	if _, err := mem.ReadFile(indexPath); err == nil {
		t.Error("an index is written before there are 64 records to write of")
	}
	if err := s.Append(63, [][]byte{logtest.Record(64), logtest.Record(65)}, false); err != nil {
		t.Fatal(err)
	}
	until63 := func(n int) uint32 {
		if n <= 63 {
			return sealed
		}
		return 0
	}
	wantIndex(t, mem, indexOf(logOf(t, mem), until63))
	if err := s.Append(65, [][]byte{logtest.Record(66)}, false); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	wantIndex(t, mem, indexOf(logOf(t, mem), until63))
}

func TestLargeRecordsAreIndexedAtOnce(t *testing.T) {
	mem := vfs.NewMem()
	s := createS(t, mem)
	large := []byte(`{"a":"` + strings.Repeat("x", eventlog.MaxRecord-8) + `"}`)
	if err := s.Append(0, [][]byte{large, large, large, large}, true); err != nil {
		t.Fatal(err)
	}
	wantIndex(t, mem, indexOf(logOf(t, mem), always(sealed)))
}

// TestTheIndexFollowsTheLog opens a log beside an index that is incomplete or wrong. Once
// the log is closed, the index is complete and right.
func TestTheIndexFollowsTheLog(t *testing.T) {
	const n = 100
	log := strings.Join(append(logtest.Records(1, n), ""), "\n")
	whole := indexOf(log, always(0))
	for _, tc := range []struct {
		rule  string
		index []byte // nil if there is none
	}{
		{"a whole one stays", whole},
		{"one that is absent is made", nil},
		{"one that is empty is made anew", []byte{}},
		{"one that lacks some is extended", whole[:16+56*30]},
		{"one that lacks all is extended", whole[:16]},
		{"half a head", whole[:9]},
		{"half an entry at the end", whole[:16+56*30+20]},
		{"of another version", append([]byte("SSTICKIX\x02\x00\x00\x00\x38\x00\x00\x00"), whole[16:]...)},
		{"of another kind", bytes.Repeat([]byte("SQLite format 3\x00"), 400)},
		{"NUL bytes", make([]byte, len(whole))},
		{"NUL bytes from somewhere on", append(whole[:16+56*30:16+56*30], make([]byte, 4096)...)},
		{"an entry with a flipped bit", flipped(whole, 16+56*30+20)},
		{"an entry that is missing", append(whole[:16+56*30:16+56*30], whole[16+56*31:]...)},
		{"an entry that is there twice", append(whole[:16+56*30:16+56*30], whole[16+56*29:]...)},
		{"sealed, and an entry flipped", flipped(indexOf(log, always(sealed)), 16+56*30+20)},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			fsys := withLog(t, []byte(log))
			if tc.index != nil {
				put(t, fsys, indexPath, tc.index)
			}
			s, repair := openS(t, fsys)
			if repair != nil || s.Len() != n {
				t.Errorf("Open repairs %+v; %d records", repair, s.Len())
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			wantIndex(t, fsys, whole)
		})
	}
}

func flipped(b []byte, i int) []byte {
	b = bytes.Clone(b)
	b[i] ^= 1
	return b
}

// TestChangedHistoryIsRefused changes a log that was synced and indexed in many ways. Open
// names the line and the file.
func TestChangedHistoryIsRefused(t *testing.T) {
	const n = 10
	recs := logtest.Records(1, n)
	log := strings.Join(append(recs, ""), "\n")
	for _, tc := range []struct {
		rule, log string
		line      int
	}{
		{"another word", strings.Replace(log, "record 4", "rekord 4", 1), 4},
		{"the first line", strings.Replace(log, "record 1", "rekord 1", 1), 1},
		{"the last line", strings.Replace(log, "record 10", "rekord 10", 1), 10},
		{"a longer line", strings.Replace(log, "record 4", "a record 4", 1), 4},
		{"a line that is gone", strings.Replace(log, recs[3]+"\n", "", 1), 4},
		{"a line that is new", strings.Replace(log, recs[3]+"\n", "{}\n"+recs[3]+"\n", 1), 4},
		{"two lines in another order", strings.Replace(log, recs[3]+"\n"+recs[4], recs[4]+"\n"+recs[3], 1), 4},
		{"a line that is no record any more", strings.Replace(log, `{"type":"session.info","data":{"message":"record 4`, `["type":"session.info","data":{"message":"record 4`, 1), 4},
		{"a line feed that is none", strings.Replace(log, recs[3]+"\n", recs[3]+" ", 1), 4},
		{"and new records behind", strings.Replace(log, "record 4", "rekord 4", 1) + "{}\n{}", 4},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			mem := closedLog(t, n)
			put(t, mem, logPath, []byte(tc.log))
			store := mustOpen(t, files.Options{Root: root, FS: mem})
			for range 2 { // it is not forgotten
				_, _, err := openIn(store, "s")
				wantKind(t, err, fault.Conflict)
				wantHint(t, err, fmt.Sprintf("line %d is not what was written", tc.line), logPath, "sidestick sessions verify s;", "sidestick sessions verify --accept s")
			}
			if got := logOf(t, mem); got != tc.log {
				t.Errorf("the log was changed to %q", got)
			}
			report, err := store.Verify("s")
			if err != nil || report.Changed == nil || report.Changed.Line != uint64(tc.line) || !report.Changed.Sealed || report.Intact() {
				t.Errorf("Verify() = %+v, %v", report, err)
			}

			scanned := logtest.Collect(t, store.Scan(context.Background(), "s"))
			if _, err := store.Accept("s"); err != nil {
				t.Fatal(err)
			}
			s, repair := openS(t, mem)
			if got := logtest.Collect(t, s.Read(1)); repair != nil || strings.Join(got, "\n") != strings.Join(scanned, "\n") {
				t.Errorf("once accepted, Open repairs %+v and finds %q", repair, got)
			}
			wantIndex(t, mem, indexOf(logOf(t, mem), always(sealed)))
		})
	}
}

// TestWhatIsMissingFromTheEndIsReported cuts a log that was synced and indexed at
// every byte, as a disk can do that reports a sync without doing it.
func TestWhatIsMissingFromTheEndIsReported(t *testing.T) {
	const n = 4
	whole := closedLog(t, n)
	log, index := logOf(t, whole), indexOf(logOf(t, whole), always(sealed))
	for size := range len(log) {
		for _, nul := range []int{0, 1, 5000} {
			fsys := withLog(t, append([]byte(log[:size]), make([]byte, nul)...))
			put(t, fsys, indexPath, index)
			s, repair := openS(t, fsys)
			left := (size + 1) / (len(logtest.Record(1)) + 1) // the last may lack its line feed
			switch {
			case s.Len() != uint64(left):
				t.Errorf("of %d bytes are left %d records, want %d", size, s.Len(), left)
			case repair == nil || repair.Missing != uint64(n-left):
				t.Errorf("of %d bytes are left %d records: %+v", size, left, repair)
			case left < n && !strings.Contains(repair.Reason, "missing from the end"):
				t.Errorf("of %d bytes are left %d records: %s", size, left, repair.Reason)
			}
			logtest.Append(t, s, left+1, left+3)
			if _, repair := openS(t, fsys); repair != nil {
				t.Errorf("a second Open finds %+v", repair)
			}
		}
	}
}

// TestWhatWasNeverSyncedIsRepaired: a difference behind the synced part counts as the
// result of a loss of power, for every content of the index.
func TestWhatWasNeverSyncedIsRepaired(t *testing.T) {
	log := strings.Join(append(logtest.Records(1, 10), ""), "\n")
	until5 := func(n int) uint32 {
		if n <= 5 {
			return sealed
		}
		return 0
	}
	for _, tc := range []struct {
		rule, log, reason string
		missing           uint64
	}{
		{"another record", strings.Replace(log, "record 7", "rekord 7", 1), "line 7 is not what was written", 0},
		{"a hole", strings.Replace(log, "record 7", strings.Repeat("\x00", 8), 1), "1 event is missing that had been written", 1},
		{"a shorter log with other records", log[:len(log)*65/100] + "\n" + strings.Repeat("{}\n", 13), "1 broken piece held no event; line 7 is not what was written", 0},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			fsys := withLog(t, []byte(tc.log))
			put(t, fsys, indexPath, indexOf(log, until5))
			_, repair := openS(t, fsys)
			if repair == nil || !strings.Contains(repair.Reason, tc.reason) || repair.Missing != tc.missing {
				t.Errorf("Open repairs %+v, want %q", repair, tc.reason)
			}
			if _, repair := openS(t, fsys); repair != nil {
				t.Errorf("a second Open finds %+v", repair)
			}
		})
	}
}

// TestNULBytesAreDamageAndNoChange: disks put NUL bytes into a log, people do not.
func TestNULBytesAreDamageAndNoChange(t *testing.T) {
	mem := closedLog(t, 10)
	put(t, mem, logPath, []byte(strings.Replace(logOf(t, mem), "record 4", strings.Repeat("\x00", 8), 1)))
	s, repair := openS(t, mem)
	if s.Len() != 9 || repair == nil || repair.Missing != 1 || repair.Dropped != 1 {
		t.Errorf("%d records are left, %+v", s.Len(), repair)
	}
}

// FuzzIndex opens a sound log beside any index. No record is lost and the log does not
// change. Open refuses a log only if the checksums of the index are valid.
func FuzzIndex(f *testing.F) {
	log := strings.Join(append(logtest.Records(1, 5), ""), "\n")
	whole := indexOf(log, always(sealed))
	f.Add(whole)
	f.Add(whole[:100])
	f.Add(flipped(whole, 40))
	f.Add(indexOf(strings.Replace(log, "record 3", "rekord 3", 1), always(0)))
	f.Fuzz(func(t *testing.T, index []byte) {
		fsys := withLog(t, []byte(log))
		put(t, fsys, indexPath, index)
		s, _, err := openIn(mustOpen(t, files.Options{Root: root, FS: fsys}), "s")
		if logOf(t, fsys) != log {
			t.Errorf("the log has become %q", logOf(t, fsys))
		}
		if err != nil {
			wantKind(t, err, fault.Conflict)
			return
		}
		if got := len(logtest.Collect(t, s.Read(1))); got != 5 {
			t.Errorf("%d records are left of 5", got)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if _, repair := openS(t, fsys); repair != nil {
			t.Errorf("a second Open finds %+v", repair)
		}
	})
}
