package vfs_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/vfs"
)

func TestFailSeesEveryOperation(t *testing.T) {
	var seen []string
	fsys := vfs.Fail(vfs.NewMem(), func(op vfs.Op) error {
		seen = append(seen, fmt.Sprint(op.N, " ", op.Name, " ", op.Path, " ", op.Bytes))
		return nil
	})
	everyOperation(t, fsys)
	want := []string{
		"1 mkdirall d 0", "2 open d/a 0", "3 write d/a 3", "4 read d/a 2", "5 read d/a 1", "6 sync d/a 0",
		"7 syncall d/a 0", "8 claim d/a 0", "9 truncate d/a 0", "10 stat d/a 0", "11 close d/a 0", "12 syncdir d 0",
		"13 readfile d/a 0", "14 stat d 0", "15 readdir d 0", "16 rename d/b 0", "17 remove d/b 0", "18 removeall d 0",
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Error("operations (-want +got):\n" + diff)
	}
}

// everyOperation does each operation once and returns their errors.
func everyOperation(t *testing.T, fsys vfs.FS) []error {
	t.Helper()
	var errs []error
	add := func(err error) { errs = append(errs, err) }
	add(fsys.MkdirAll("d", 0o700))
	f, err := fsys.OpenFile("d/a", os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	add(err)
	if err == nil {
		_, err = f.Write([]byte("abc"))
		add(err)
		_, err = f.ReadAt(make([]byte, 2), 0)
		add(err)
		_, err = f.Read(make([]byte, 1)) // at the end, for the append moved the offset
		add(err)
		add(f.Sync())
		add(f.SyncAll())
		add(f.Claim(vfs.ClaimWrite))
		add(f.Truncate(1))
		_, err = f.Stat()
		add(err)
		add(f.Close())
	}
	add(fsys.SyncDir("d"))
	_, err = fsys.ReadFile("d/a")
	add(err)
	_, err = fsys.Stat("d")
	add(err)
	_, err = fsys.ReadDir("d")
	add(err)
	add(fsys.Rename("d/a", "d/b"))
	add(fsys.Remove("d/b"))
	add(fsys.RemoveAll("d"))
	return errs
}

func TestEveryOperationCanFail(t *testing.T) {
	boom := errors.New("boom")
	const operations = 18
	for n := 1; n <= operations; n++ {
		fsys := vfs.Fail(vfs.NewMem(), vfs.NthOp("", n, boom))
		failed := 0
		for _, err := range everyOperation(t, fsys) {
			if errors.Is(err, boom) {
				failed++
				var pathErr *fs.PathError
				if !errors.As(err, &pathErr) || pathErr.Path == "" {
					t.Errorf("operation %d failed without a path: %v", n, err)
				}
			}
		}
		if failed != 1 {
			t.Errorf("NthOp(%d) failed %d operations, want 1", n, failed)
		}
	}
}

func TestRules(t *testing.T) {
	boom := errors.New("boom")
	for _, tc := range []struct {
		name string
		rule vfs.Rule
		want string // what the file holds
		errs []error
	}{
		{"the second write", vfs.NthOp("write", 2, boom), "aaacccddd", []error{nil, boom, nil, nil}},
		{"another operation's turn never comes", vfs.NthOp("sync", 1, boom), "aaabbbcccddd", []error{nil, nil, nil, nil}},
		{"no turn at all", vfs.NthOp("write", 0, boom), "aaabbbcccddd", []error{nil, nil, nil, nil}},
		{"room for all", vfs.NoSpace(12), "aaabbbcccddd", []error{nil, nil, nil, nil}},
		{"room for a part", vfs.NoSpace(7), "aaabbbc", []error{nil, nil, syscall.ENOSPC, syscall.ENOSPC}},
		{"no room", vfs.NoSpace(-1), "", []error{syscall.ENOSPC, syscall.ENOSPC, syscall.ENOSPC, syscall.ENOSPC}},
		{"a torn write among whole ones", vfs.TornWrite(2, 1), "aaabcccddd", []error{nil, syscall.EIO, nil, nil}},
		{"torn beyond its end", vfs.TornWrite(1, 99), "aaabbbcccddd", []error{syscall.EIO, nil, nil, nil}},
		{"torn before its start", vfs.TornWrite(1, -1), "bbbcccddd", []error{syscall.EIO, nil, nil, nil}},
		{"a short write needs no reason", shortOnce(), "abbbcccddd", []error{io.ErrShortWrite, nil, nil, nil}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := vfs.NewMem()
			f := disk{t, vfs.Fail(m, tc.rule), "/"}.open("a", os.O_CREATE|os.O_WRONLY|os.O_APPEND)
			for i, text := range []string{"aaa", "bbb", "ccc", "ddd"} {
				before, _ := m.ReadFile("a")
				n, err := f.Write([]byte(text))
				if !errors.Is(err, tc.errs[i]) {
					t.Errorf("write %d = %v, want %v", i+1, err, tc.errs[i])
				}
				if after, _ := m.ReadFile("a"); n != len(after)-len(before) {
					t.Errorf("write %d returned %d, but %d bytes arrived", i+1, n, len(after)-len(before))
				}
			}
			disk{t, m, "/"}.wantContents("a", tc.want)
		})
	}
}

func shortOnce() vfs.Rule { return vfs.NthOp("write", 1, &vfs.Short{Keep: 1}) }

func TestACloseThatFailsClosesAllTheSame(t *testing.T) {
	boom := errors.New("boom")
	fsys := vfs.Fail(vfs.NewMem(), vfs.NthOp("close", 1, boom))
	f := disk{t, fsys, "/"}.open("a", os.O_CREATE|os.O_WRONLY)
	if err := f.Close(); !errors.Is(err, boom) {
		t.Errorf("first Close = %v, want boom", err)
	}
	if err := f.Close(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("second Close = %v, want fs.ErrClosed", err)
	}
}

// During a slow operation others continue, and a failure comes at its end.
func TestASlowOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boom := errors.New("boom")
		m := vfs.NewMem()
		f := disk{t, vfs.Fail(m, vfs.SlowSync(time.Second)), "/"}.open("a", os.O_CREATE|os.O_RDWR)
		start := time.Now()
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := f.Sync(); err != nil || time.Since(start) != time.Second {
				t.Errorf("Sync() = %v after %v, want it done after a second", err, time.Since(start))
			}
		})
		synctest.Wait()
		if _, err := f.Write([]byte("meanwhile")); err != nil || time.Since(start) != 0 {
			t.Errorf("Write during a slow sync = %v after %v", err, time.Since(start))
		}
		wg.Wait()
		late := vfs.Fail(m, func(vfs.Op) error { return &vfs.Slow{For: time.Minute, Err: boom} })
		if _, err := late.Stat("a"); !errors.Is(err, boom) || time.Since(start) != time.Minute+time.Second {
			t.Errorf("Stat = %v after %v, want boom after a minute more", err, time.Since(start))
		}
	})
}
