package files_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"syscall"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// TestAnIndexNeverFailsAnAppend lets every operation on the index fail.
func TestAnIndexNeverFailsAnAppend(t *testing.T) {
	for _, op := range []string{"open", "write", "stat", "read", "close", "remove"} {
		for _, err := range []error{syscall.ENOSPC, fs.ErrPermission, syscall.EIO} {
			t.Run(fmt.Sprint(op, " ", err), func(t *testing.T) {
				mem := vfs.NewMem()
				armed := false
				var warned bytes.Buffer
				store := mustOpen(t, files.Options{
					Root: root, Logger: slog.New(slog.NewTextHandler(&warned, nil)),
					FS: vfs.Fail(mem, func(o vfs.Op) error {
						if armed && o.Path == indexPath && (o.Name == op || op == "remove" && o.Name == "write") {
							return err
						}
						return nil
					}),
				})
				s, cerr := createIn(store, "s")
				if cerr != nil {
					t.Fatal(cerr)
				}
				armed = true
				logtest.Append(t, s, 1, 200)
				if err := s.Close(); err != nil {
					t.Errorf("Close() = %v", err)
				}
				if got := strings.Count(warned.String(), "level=WARN"); got != 1 {
					t.Errorf("warned %d times, want once:\n%s", got, warned.String())
				}
				again, repair := openS(t, mem)
				if repair != nil || again.Len() != 200 {
					t.Errorf("then Open finds %d records, %+v", again.Len(), repair)
				}
				if err := again.Close(); err != nil {
					t.Fatal(err)
				}
				index, rerr := mem.ReadFile(indexPath)
				if rerr != nil || len(index) != 16+56*200 {
					t.Errorf("then the index has %d bytes, %v", len(index), rerr)
				}
			})
		}
	}
}

// TestTheIndexOfAnotherIsLeftAlone: a stream does not write to an index that another
// process has continued.
func TestTheIndexOfAnotherIsLeftAlone(t *testing.T) {
	mem := vfs.NewMem()
	first := createS(t, mem)
	logtest.Append(t, first, 1, 70)
	second, _ := openS(t, mem)
	logtest.Append(t, second, 71, 150)
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	want, err := mem.ReadFile(indexPath)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	wantIndex(t, mem, want)
}

// TestAnIndexWithoutItsLogIsForgotten: after a user has removed a log by hand, a new log
// does not count as a changed history.
func TestAnIndexWithoutItsLogIsForgotten(t *testing.T) {
	mem := closedLog(t, 10)
	if err := mem.Remove(logPath); err != nil {
		t.Fatal(err)
	}
	s := createS(t, mem)
	if err := s.Append(0, [][]byte{[]byte(`{}`)}, true); err != nil {
		t.Fatal(err)
	}
	mem.Crash() // the name of the old index must not come back
	again, repair := openS(t, mem)
	if repair != nil || again.Len() != 1 {
		t.Errorf("%d records, %+v", again.Len(), repair)
	}
}

// TestAnIndexThatWasDroppedDoesNotComeBack: a log was found too short and then written to.
// A loss of power leaves what was written, and no old index.
func TestAnIndexThatWasDroppedDoesNotComeBack(t *testing.T) {
	mem := closedLog(t, 4)
	index, err := mem.ReadFile(indexPath)
	if err != nil {
		t.Fatal(err)
	}
	put(t, mem, indexPath, index)
	put(t, mem, logPath, []byte(strings.Join(append(logtest.Records(1, 3), ""), "\n")))
	s, _ := openS(t, mem)
	if err := s.Append(3, [][]byte{[]byte(`{"another":"` + strings.Repeat("4", 80) + `"}`)}, false); err != nil {
		t.Fatal(err)
	}
	mem.CrashTorn(func(_ string, unsynced int) int { return unsynced })
	again, repair := openS(t, mem)
	if repair != nil || again.Len() != 4 {
		t.Errorf("%d records, %+v", again.Len(), repair)
	}
}
