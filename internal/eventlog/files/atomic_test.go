package files_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

func TestDeletionIsWholeOrNothing(t *testing.T) {
	for name, sync := range syncs {
		for _, power := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, power lost %v", name, power), func(t *testing.T) {
				gone := false
				for n := 1; !gone; n++ {
					mem := vfs.NewMem()
					logtest.Append(t, createS(t, mem), 1, 3)
					store, err := files.Open(files.Options{Root: root, FS: vfs.Fail(mem, dies(n)), Sync: sync})
					if err == nil {
						gone = store.Delete(context.Background(), "s") == nil
					}
					if power {
						mem.Crash()
					}
					left, _, err := openIn(mustOpen(t, files.Options{Root: root, FS: mem}), "s")
					switch {
					case err == nil && left.Len() != 3:
						t.Errorf("died at operation %d: %d of 3 records are left", n, left.Len())
					case err == nil && gone && !(power && sync == files.SyncOS):
						t.Errorf("died at operation %d: a deleted session is back", n)
					case err != nil && fault.KindOf(err) != fault.NotFound:
						t.Errorf("died at operation %d: %v", n, err)
					}
				}
			})
		}
	}
}

// TestRepairLosesNothing ends a repair at each of its operations. Each record is in the
// log, everything else that was there is in a file beside it, and the next Open finishes
// the repair.
func TestRepairLosesNothing(t *testing.T) {
	sound := strings.Join(append(logtest.Records(1, 70), ""), "\n")
	for _, tc := range []struct {
		rule, log string
		index     []byte
		lost      string
		want      []string
	}{
		{"a torn end", "{}\n{\"torn\":\"what nobody may lose", nil, "{\"torn\":\"what nobody may lose", []string{"{}"}},
		{"broken pieces", "{}\n{\"torn\":\"what nobody{\"type\":\"b\"}\n{\"c\":1}{}", nil, "{\"torn\":\"what nobody", []string{"{}", `{"type":"b"}`, `{"c":1}`, "{}"}},
		{"a torn end, and an index of more", sound[:200] + "x\n", indexOf(sound, always(sealed)), "x\n", logtest.Records(1, 3)},
		{"broken pieces behind an index", sound + "x\n{}\n", indexOf(sound, always(sealed)), "x\n", append(logtest.Records(1, 70), "{}")},
		{"a hole in what is indexed", sound[:300] + strings.Repeat("\x00", 50) + sound[350:], indexOf(sound, always(sealed)), sound[253:300], append(logtest.Records(1, 4), logtest.Records(7, 70)...)},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			for n, opened := 1, false; !opened; n++ {
				for _, power := range []bool{false, true} {
					mem := withLog(t, []byte(tc.log)).(*vfs.Mem)
					if tc.index != nil {
						put(t, mem, indexPath, tc.index)
					}
					if store, err := files.Open(files.Options{Root: root, FS: vfs.Fail(mem, dies(n))}); err == nil {
						_, _, err = openIn(store, "s")
						opened = err == nil
					}
					if power {
						mem.Crash()
					}
					if !strings.Contains(everything(t, mem), tc.lost) {
						t.Errorf("died at operation %d: %q is lost", n, tc.lost)
					}
					s, repair := openS(t, mem)
					if opened && repair != nil && repair.CutBytes == 0 {
						t.Errorf("the log was rewritten, and after a loss of power %v that is undone", power)
					}
					if got := logtest.Collect(t, s.Read(1)); !slices.Equal(got, tc.want) {
						t.Errorf("died at operation %d: %d records are left, want %d: %q", n, len(got), len(tc.want), got)
					}
					logtest.Append(t, s, len(tc.want)+1, len(tc.want)+1)
					s.Close()
					if _, repair := openS(t, mem); repair != nil {
						t.Errorf("died at operation %d: a second Open repairs %+v", n, repair)
					}
				}
			}
		})
	}
}

// everything is the content of all files of session "s".
func everything(t *testing.T, fsys vfs.FS) (text string) {
	t.Helper()
	dir := filepath.Join(root, "s")
	entries, err := fsys.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := fsys.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		text += string(b)
	}
	return text
}

func TestAnImportIsWholeOrNothing(t *testing.T) {
	const source = "/elsewhere/events.jsonl"
	log := strings.Join(append(logtest.Records(1, 100), ""), "\n")
	for _, power := range []bool{false, true} {
		for n, done := 1, false; !done; n++ {
			mem := vfs.NewMem()
			if err := vfs.MkdirAllSync(mem, filepath.Dir(source), 0o700); err != nil {
				t.Fatal(err)
			}
			put(t, mem, source, []byte(log))
			mustOpen(t, files.Options{Root: root, FS: mem}) // under SyncOS nobody syncs what is above the root
			if store, err := files.Open(files.Options{Root: root, FS: vfs.Fail(mem, dies(n)), Sync: files.SyncOS}); err == nil {
				_, err = store.Import(source, "s", nothing)
				done = err == nil
			}
			if power {
				mem.Crash()
			}
			store := mustOpen(t, files.Options{Root: root, FS: mem})
			s, repair, err := openIn(store, "s")
			switch {
			case err == nil && (s.Len() != 100 || repair != nil):
				t.Errorf("died at operation %d: %d of 100 records are there, %+v", n, s.Len(), repair)
			case err != nil && (done || fault.KindOf(err) != fault.NotFound):
				t.Errorf("died at operation %d, imported %v: %v", n, done, err)
			}
			if left, err := mem.ReadDir(filepath.Join(root, ".deleted")); err == nil && len(left) > 0 {
				t.Errorf("died at operation %d: %v is left over", n, left)
			}
		}
	}
}
