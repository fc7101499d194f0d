package keys_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/keys"
	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const secret = "sk-0123456789-abcdef-canary"

// ring is a keyring in memory.
type ring struct {
	mu    sync.Mutex
	keys  map[string]string
	fails error
	asked int
	hangs chan struct{} // if set, Get waits for it
}

func newRing() *ring { return &ring{keys: map[string]string{}} }

func (r *ring) Get(name string) (string, error) {
	if r.hangs != nil {
		<-r.hangs
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	if key, ok := r.keys[name]; ok || r.fails != nil {
		return key, r.fails
	}
	return "", keys.ErrNotInRing
}

func (r *ring) Set(name, key string) error {
	if r.fails == nil {
		r.keys[name] = key
	}
	return r.fails
}

func (r *ring) Remove(name string) error {
	if _, ok := r.keys[name]; !ok {
		return keys.ErrNotInRing
	}
	delete(r.keys, name)
	return r.fails
}

// open returns a store in memory, with a keyring.
func open(t *testing.T, r *ring) (*keys.Store, vfs.FS, *obs.Redactor) {
	t.Helper()
	fsys, secrets := vfs.NewMem(), &obs.Redactor{}
	s := keys.Open(keys.Options{FS: fsys, Path: filepath.Join("home", keys.File), Secrets: secrets, Ring: r})
	t.Cleanup(s.Close)
	return s, fsys, secrets
}

func TestAKeyInTheFile(t *testing.T) {
	s, _, secrets := open(t, newRing())
	ctx := t.Context()
	if key, err := s.Key(ctx, "anthropic", ""); key != "" || err != nil {
		t.Errorf("before it is set: %q, %v", key, err)
	}
	if err := s.Set(ctx, "anthropic", keys.Entry{Key: secret}, ""); err != nil {
		t.Fatal(err)
	}
	if key, err := s.Key(ctx, "anthropic", ""); key != secret || err != nil {
		t.Errorf("Key = %q, %v", key, err)
	}
	if got := secrets.Redact("the key is " + secret); strings.Contains(got, secret) {
		t.Errorf("the redactor does not know it: %s", got)
	}
	if key, err := s.Key(ctx, "openai", ""); key != "" || err != nil {
		t.Errorf("another provider gets %q, %v", key, err)
	}
	if _, err := s.Remove(ctx, "anthropic"); err != nil {
		t.Fatal(err)
	}
	if key, _ := s.Key(ctx, "anthropic", ""); key != "" {
		t.Errorf("after it is removed: %q", key)
	}
	if _, err := s.Remove(ctx, "anthropic"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a second Remove: %v", err)
	}
}

func TestTheFileIsForTheUserOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("the modes of files say nothing here")
		return
	}
	path := filepath.Join(t.TempDir(), "home", keys.File)
	s := keys.Open(keys.Options{Path: path, Ring: newRing()})
	defer s.Close()
	if err := s.Set(t.Context(), "openai", keys.Entry{Key: secret}, ""); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has the mode %v, %v", info.Mode(), err)
	}
	for _, mode := range []os.FileMode{0o604, 0o640, 0o620, 0o644} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		_, read := s.Key(t.Context(), "openai", "")
		written := s.Set(t.Context(), "mistral", keys.Entry{Key: secret}, "")
		for _, err := range []error{read, written} {
			if fault.KindOf(err) != fault.Denied || !strings.Contains(err.Error(), "chmod 600 "+path) || strings.Contains(err.Error(), secret) {
				t.Errorf("mode %o: %v", mode, err)
			}
		}
	}
}

func TestAFileThatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		``:                     "not a file of keys",
		`{"keys":{"a":{"key":`: "not a file of keys",
		`{"version":2,"keys":{"a":{"key":"` + secret + `"}}}`: "a newer Sidestick wrote it",
		`{"keys":{"a":{}}}`: "the entry of a",
		`{"keys":{"a":{"key":"` + secret + `","keyring":true}}}`:               "exactly one of",
		`{"keys":{"a":{"key":"` + secret + ` ` + secret + `"}}}`:               "a space",
		`{"keys":{"a":{"command":["",""]}}}`:                                   "names no program",
		`{"keys":{"a":{"key":"` + strings.Repeat("k", keys.MaxKey+1) + `"}}}`:  "longer than",
		`{"keys":{"a":{"key":"` + strings.Repeat("kkkkkkkk", 1<<17) + `"}}}  `: "longer than",
	} {
		s, fsys, _ := open(t, newRing())
		if err := fsys.MkdirAll("home", 0o700); err != nil {
			t.Fatal(err)
		}
		if err := vfs.WriteFileAtomic(fsys, s.Path(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := s.Key(t.Context(), "a", "")
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), secret) {
			t.Errorf("%.60s: %v, want %q", text, err, want)
		}
	}
}

func TestAKeyInTheKeyring(t *testing.T) {
	r := newRing()
	s, fsys, secrets := open(t, r)
	ctx := t.Context()
	if err := s.Set(ctx, "openai", keys.Entry{Keyring: true}, secret); err != nil {
		t.Fatal(err)
	}
	if data, err := fsys.ReadFile(s.Path()); err != nil || strings.Contains(string(data), secret) {
		t.Errorf("the file has\n%s, %v", data, err)
	}
	for range 3 {
		if key, err := s.Key(ctx, "openai", ""); key != secret || err != nil {
			t.Errorf("Key = %q, %v", key, err)
		}
	}
	if r.asked != 1 {
		t.Errorf("the keyring was asked %d times for 3 calls", r.asked)
	}
	if got := secrets.Redact(secret); strings.Contains(got, secret) {
		t.Error("the redactor does not know the key")
	}
	r.keys["openai"] = "another-key-0123456789"
	if key, err := s.Key(ctx, "openai", secret); key != "another-key-0123456789" || err != nil {
		t.Errorf("after a refusal: %q, %v", key, err)
	}
	if err := s.Set(ctx, "openai", keys.Entry{Key: secret}, ""); err != nil || len(r.keys) != 0 {
		t.Errorf("after the key moved to the file, the keyring has %v, %v", r.keys, err)
	}
}

func TestAKeyringThatFails(t *testing.T) {
	r := newRing()
	s, _, _ := open(t, r)
	ctx := t.Context()
	if err := s.Set(ctx, "openai", keys.Entry{Keyring: true}, secret); err != nil {
		t.Fatal(err)
	}
	r.fails = errors.New("no such bus")
	_, err := s.Key(ctx, "openai", "")
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "no such bus") || !strings.Contains(err.Error(), "--store file") || keys.RingFailure(err) == nil {
		t.Errorf("Key: %v", err)
	}
	if err := s.Set(ctx, "mistral", keys.Entry{Keyring: true}, secret); keys.RingFailure(err) == nil {
		t.Errorf("Set: %v", err)
	}
	if all, _ := s.Entries(); len(all) != 1 {
		t.Errorf("after a failure there are %v", all)
	}
	r.fails = nil
	if key, err := s.Key(ctx, "openai", ""); key != secret || err != nil {
		t.Errorf("after it works again: %q, %v", key, err)
	}
	off := keys.Open(keys.Options{FS: vfs.NewMem(), Path: "keys.json", Ring: r, NoRing: "it is switched off"})
	defer off.Close()
	if err := off.Set(ctx, "openai", keys.Entry{Keyring: true}, secret); err == nil || !strings.Contains(err.Error(), "it is switched off") {
		t.Errorf("without a keyring: %v", err)
	}
}

func TestAKeyringThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRing()
		s, _, _ := open(t, r)
		if err := s.Set(t.Context(), "openai", keys.Entry{Keyring: true}, secret); err != nil {
			t.Fatal(err)
		}
		r.hangs = make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			_, err := s.Key(ctx, "openai", "")
			left <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-left; fault.KindOf(err) != fault.Canceled {
			t.Errorf("the caller that leaves gets %v", err)
		}
		began := time.Now()
		_, err := s.Key(t.Context(), "openai", "")
		if took := time.Since(began); took != 30*time.Second || fault.KindOf(err) != fault.Unavailable {
			t.Errorf("after %v: %v", took, err)
		}
		close(r.hangs)
		if key, err := s.Key(t.Context(), "openai", ""); key != secret || err != nil {
			t.Errorf("after it was unlocked: %q, %v", key, err)
		}
	})
}

// A source that gives the refused key again is not asked at every call.
func TestARefusedKeyIsNotAskedForAtEveryCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRing()
		s, _, _ := open(t, r)
		if err := s.Set(t.Context(), "openai", keys.Entry{Keyring: true}, secret); err != nil {
			t.Fatal(err)
		}
		var asked []int
		get := func(refused string) {
			if key, err := s.Key(t.Context(), "openai", refused); key != secret || err != nil {
				t.Errorf("Key = %q, %v", key, err)
			}
			asked = append(asked, r.asked)
		}
		get("")
		get(secret)
		get(secret)
		get("")
		time.Sleep(30 * time.Second)
		get(secret)
		if diff := cmp.Diff([]int{1, 2, 2, 2, 3}, asked); diff != "" {
			t.Error("the keyring was asked (-want +got):\n" + diff)
		}
	})
}
