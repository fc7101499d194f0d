package files_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// hashOf is the running hash behind the last line of a log.
func hashOf(log string) string {
	if log == "" {
		return strings.Repeat("0", 64)
	}
	index := indexOf(log, always(0))
	return fmt.Sprintf("%x", index[len(index)-40:len(index)-8])
}

func castagnoli(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

func TestVerify(t *testing.T) {
	const n = 100
	log := strings.Join(append(logtest.Records(1, n), ""), "\n")
	index := indexOf(log, always(sealed))
	changed := strings.Replace(log, "record 40", "rekord 40", 1)
	otherSum := bytes.Clone(index)
	fifth := otherSum[16+56*4 : 16+56*5]
	fifth[20] ^= 1
	binary.LittleEndian.PutUint32(fifth[52:], castagnoli(fifth[:52]))
	for _, tc := range []struct {
		rule, log string
		index     []byte
		want      files.Report
	}{
		{"an empty log", "", nil, files.Report{Index: files.IndexAbsent, Hash: hashOf("")}},
		{"a log that the index vouches for", log, index, files.Report{Records: n, Matched: n, Index: files.IndexCurrent, Hash: hashOf(log)}},
		{"without an index", log, nil, files.Report{Records: n, Index: files.IndexAbsent, Hash: hashOf(log)}},
		{"with one of nothing", log, []byte("SQLite"), files.Report{Records: n, Index: files.IndexAbsent, Hash: hashOf(log)}},
		{"with one that is behind", log, index[:16+56*30], files.Report{Records: n, Matched: 30, Index: files.IndexBehind, Hash: hashOf(log)}},
		{"with one that ends in the middle", log, index[:16+56*30+9], files.Report{Records: n, Matched: 30, Index: files.IndexBehind, Hash: hashOf(log)}},
		{
			"what was changed", changed, index,
			files.Report{Records: n, Matched: 39, Index: files.IndexCurrent, Hash: hashOf(changed), Changed: &files.Change{
				Line: 40, Sealed: true,
				Written: fmt.Sprintf("64 bytes, CRC-32C %08x", castagnoli(logtest.Record(40))),
				Found:   fmt.Sprintf("64 bytes, CRC-32C %08x", castagnoli([]byte(strings.Replace(string(logtest.Record(40)), "record", "rekord", 1)))),
			}},
		},
		{
			"a running hash of another history", log, otherSum,
			files.Report{Records: n, Matched: 4, Index: files.IndexCurrent, Hash: hashOf(log), Changed: &files.Change{
				Line: 5, Sealed: true, Written: fmt.Sprintf("SHA-256 %x", fifth[16:48]), Found: "SHA-256 " + hashOf(log[:63*5]),
			}},
		},
		{
			"what is missing", log[:63*4], index[:16+56*9],
			files.Report{Records: 4, Matched: 4, Index: files.IndexCurrent, Missing: 5, Hash: hashOf(log[:63*4])},
		},
		{
			"damage", log + `{"torn`, index,
			files.Report{Records: n, Matched: n, Index: files.IndexCurrent, Hash: hashOf(log), Damage: "the last line was not finished"},
		},
		{
			"damage in the middle", log[:63*4] + "x\n" + log[63*4:], nil,
			files.Report{Records: n, Index: files.IndexAbsent, Hash: hashOf(log), Damage: "1 broken piece held no event"},
		},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			tc.want.Session, tc.want.Bytes = "s", int64(len(tc.log))
			checkVerify(t, tc.log, tc.index, tc.want)
		})
	}
}

// checkVerify verifies a session of this log and index on a disk that refuses writes.
func checkVerify(t *testing.T, log string, index []byte, want files.Report) {
	t.Helper()
	mem := withLog(t, []byte(log))
	if index != nil {
		put(t, mem, indexPath, index)
	}
	store := mustOpen(t, files.Options{Root: root, FS: vfs.Fail(mem, func(op vfs.Op) error {
		switch op.Name {
		case "write", "truncate", "rename", "remove", "removeall":
			return os.ErrPermission
		}
		return nil
	})})
	got, err := store.Verify("s")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Verify() (-want +got):\n%s", diff)
	}
	if intact := want.Records > 0 && want.Changed == nil && want.Damage == "" && want.Missing == 0; got.Intact() != intact {
		t.Errorf("Intact() = %v", got.Intact())
	}
}

func TestVerifyOfWhatIsNotThere(t *testing.T) {
	store := mustOpen(t, files.Options{Root: root, FS: vfs.NewMem()})
	_, err := store.Verify("s")
	wantKind(t, err, fault.NotFound)
	_, err = store.Verify("../s")
	wantKind(t, err, fault.Invalid)
	_, err = store.Accept("s")
	wantKind(t, err, fault.NotFound)
}

// TestVerifyBesideAWriter: while a session is being written, Verify may find its last
// event unfinished, and nothing worse.
func TestVerifyBesideAWriter(t *testing.T) {
	store := mustOpen(t, files.Options{Root: t.TempDir()})
	s, err := createIn(store, "s")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	logtest.Append(t, s, 1, 1) // a log without events is not intact
	done := make(chan struct{})
	go func() {
		defer close(done)
		rec := []byte(`{"a":"` + strings.Repeat("x", 20_000) + `"}`)
		for i := range uint64(500) {
			if err := s.Append(i+1, [][]byte{rec}, false); err != nil {
				t.Error(err)
			}
		}
	}()
	for writing := true; writing; {
		select {
		case <-done:
			writing = false
		default:
		}
		report, err := store.Verify("s")
		if report.Damage == "the last line was not finished" && writing {
			report.Damage = ""
		}
		if err != nil || !report.Intact() {
			t.Errorf("Verify() = %+v, %v", report, err)
		}
	}
}
