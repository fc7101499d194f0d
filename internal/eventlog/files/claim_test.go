package files_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// onClaim makes all claims on a file system fail with err.
func onClaim(err error) vfs.Rule {
	return func(op vfs.Op) error {
		if op.Name == "claim" {
			return err
		}
		return nil
	}
}

// TestClaimOfALogThatOthersChanged: Claim takes in complete lines. After any other change
// the log has to be opened again, and the claim is not kept.
func TestClaimOfALogThatOthersChanged(t *testing.T) {
	one, two := string(logtest.Record(1))+"\n", string(logtest.Record(2))+"\n"
	for _, tc := range []struct {
		rule, log string
		records   int // 0: a conflict
	}{
		{"nothing", one, 1},
		{"a record", one + two, 2},
		{"several records", one + "{}\n{}\n{}\n", 4},
		{"two records on a line", one + "{}{}\n", 0},
		{"lines that hold no record", one + "\nwhat?\n" + two, 0},
		{"half a record", one + `{"half":`, 0},
		{"a record and half a record", one + two + `{"half":`, 0},
		{"a record without its line feed", one + "{}", 0},
		{"NUL bytes", one + "\x00\x00\x00", 0},
		{"a cut", one[:10], 0},
		{"nothing left", "", 0},
		{"another log in its place", "{}\n" + two + two, 0},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			mem := vfs.NewMem()
			s := createS(t, mem)
			logtest.Append(t, s, 1, 1)
			overwrite(t, mem, tc.log)
			err := s.Claim()
			if tc.records > 0 {
				if err != nil || s.Len() != uint64(tc.records) || s.Size() != int64(len(tc.log)) {
					t.Errorf("Claim() = %v, with %d records in %d bytes", err, s.Len(), s.Size())
				}
				if got := logtest.Collect(t, s.Read(1)); len(got) != tc.records {
					t.Errorf("readers see %q", got)
				}
				logtest.Append(t, s, tc.records+1, tc.records+1)
				return
			}
			wantKind(t, err, fault.Conflict)
			wantHint(t, err, "open the session anew")
			if s.Len() != 1 {
				t.Errorf("after a conflict there are %d records", s.Len())
			}
			other, _ := openS(t, mem)
			if err := other.Claim(); err != nil {
				t.Errorf("the conflict keeps others out: %v", err)
			}
		})
	}
}

// overwrite makes text the log of session s, in place.
func overwrite(t *testing.T, mem *vfs.Mem, text string) {
	t.Helper()
	f, err := mem.OpenFile(filepath.Join(root, "s", "events.jsonl"), os.O_WRONLY|os.O_TRUNC, 0)
	if err == nil {
		_, err = f.Write([]byte(text))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestNoRepairWhileAnotherIsAtWork: a torn end may be a record that another process is
// just writing.
func TestNoRepairWhileAnotherIsAtWork(t *testing.T) {
	mem := vfs.NewMem()
	first := createS(t, mem)
	logtest.Append(t, first, 1, 1)
	if err := first.Claim(); err != nil {
		t.Fatal(err)
	}
	second, _ := openS(t, mem) // undamaged, it can be opened
	torn := logOf(t, mem) + `{"half":`
	overwrite(t, mem, torn)
	store := mustOpen(t, files.Options{Root: root, FS: mem})
	_, _, err := openIn(store, "s")
	wantKind(t, err, fault.Conflict)
	wantHint(t, err, "is at work in the session")
	if got := logOf(t, mem); got != torn {
		t.Errorf("the log was cut to %q", got)
	}
	first.Release()
	third, repair := openS(t, mem)
	if repair == nil || repair.CutBytes != 8 {
		t.Errorf("repair = %+v, want 8 bytes cut", repair)
	}
	for range 2 { // the repair has given its claim back, and second sees what it knows
		if err := second.Claim(); err != nil {
			t.Errorf("Claim() = %v", err)
		}
		second.Release()
		logtest.Append(t, third, int(third.Len())+1, int(third.Len())+1)
	}
}

// TestALogThatGrowsWhileItIsOpened is not damaged: Open reads it before it claims it.
func TestALogThatGrowsWhileItIsOpened(t *testing.T) {
	mem := vfs.NewMem()
	s := createS(t, mem)
	logtest.Append(t, s, 1, 1)
	whole := logOf(t, mem)
	overwrite(t, mem, whole+`{"half":`)
	grown, claims := whole+`{"half":true}`+"\n", 0
	store := mustOpen(t, files.Options{Root: root, FS: vfs.Fail(mem, func(op vfs.Op) error {
		if op.Name == "claim" {
			if claims++; claims == 2 {
				overwrite(t, mem, grown)
			}
		}
		return nil
	})})
	_, _, err := openIn(store, "s")
	wantKind(t, err, fault.Conflict)
	wantHint(t, err, "open the session again")
	if got := logOf(t, mem); got != grown {
		t.Errorf("the log was cut to %q", got)
	}
	if again, repair := openS(t, mem); repair != nil || again.Len() != 2 {
		t.Errorf("then it has %d records, repair %+v", again.Len(), repair)
	}
}

// TestWithoutClaims: where the system has no claims, the size of the log shows that others
// have written.
func TestWithoutClaims(t *testing.T) {
	mem := vfs.NewMem()
	none := vfs.Fail(mem, onClaim(errors.ErrUnsupported))
	first := createS(t, none)
	logtest.Append(t, first, 1, 1)
	second, _ := openS(t, none)
	for _, s := range []interface{ Claim() error }{first, second} {
		if err := s.Claim(); err != nil {
			t.Errorf("Claim() = %v", err)
		}
	}
	logtest.Append(t, second, 2, 2)
	err := first.Append(1, [][]byte{logtest.Record(9)}, false)
	wantKind(t, err, fault.Conflict)
	wantHint(t, err, "another process has written")
	first.Release()
	if err := first.Claim(); err != nil || first.Len() != 2 {
		t.Errorf("Claim() = %v, with %d records", err, first.Len())
	}
}

// TestAClaimThatFails writes nothing.
func TestAClaimThatFails(t *testing.T) {
	mem := vfs.NewMem()
	store := mustOpen(t, files.Options{Root: root, FS: vfs.Fail(mem, onClaim(syscall.EIO))})
	_, err := createIn(store, "s")
	wantKind(t, err, fault.Unavailable)
	logtest.Append(t, createS(t, mem), 1, 1) // nothing was left behind
	_, _, err = openIn(store, "s")
	wantKind(t, err, fault.Unavailable)
	wantKind(t, store.Delete(context.Background(), "s"), fault.Unavailable)

	fails := vfs.Rule(func(vfs.Op) error { return nil })
	late := createS(t, vfs.Fail(vfs.NewMem(), func(op vfs.Op) error { return fails(op) }))
	fails = onClaim(syscall.EIO)
	wantKind(t, late.Claim(), fault.Unavailable)
	wantKind(t, late.Append(0, [][]byte{logtest.Record(1)}, false), fault.Unavailable)
	if late.Len() != 0 || late.Size() != 0 {
		t.Errorf("%d records in %d bytes", late.Len(), late.Size())
	}
}

// TestAnyFailureOfAClaimGivesItBack lets each operation of a claim fail.
func TestAnyFailureOfAClaimGivesItBack(t *testing.T) {
	for n := 1; ; n++ {
		mem := vfs.NewMem()
		fails := vfs.Rule(func(vfs.Op) error { return nil })
		s := createS(t, vfs.Fail(mem, func(op vfs.Op) error { return fails(op) }))
		logtest.Append(t, s, 1, 1)
		other, _ := openS(t, mem)
		logtest.Append(t, other, 2, 2)
		fails = vfs.NthOp("", n, syscall.EIO)
		err := s.Claim()
		if err == nil {
			if n < 4 {
				t.Errorf("a claim is only %d operations", n)
			}
			return
		}
		wantKind(t, err, fault.Unavailable)
		if err := other.Claim(); err != nil {
			t.Errorf("operation %d failed, and then nobody can claim: %v", n, err)
		}
		other.Release()
		if err := s.Claim(); err != nil || s.Len() != 2 {
			t.Errorf("operation %d failed, and then Claim() = %v with %d records", n, err, s.Len())
		}
	}
}
