package web_test

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/web"
)

func TestTheKeyIsMadeOnceAndForItsOwnerOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "home", "extension.key")
	keys := make([][]byte, 8)
	var all sync.WaitGroup
	for i := range keys {
		all.Go(func() {
			key, err := web.LoadKey(vfs.OS{}, path)
			if err != nil {
				t.Error(err)
			}
			keys[i] = key
		})
	}
	all.Wait()
	for _, key := range keys {
		if len(key) != 32 || !bytes.Equal(key, keys[0]) || bytes.Equal(key, make([]byte, 32)) {
			t.Errorf("keys are %x", keys)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v (%v), want 0600", info.Mode(), err)
	}
}

func TestAFileThatHoldsNoKeyIsKept(t *testing.T) {
	for _, text := range []string{"", "no key", "00ff"} {
		disk := vfs.NewMem()
		if err := vfs.WriteFileAtomic(disk, "/extension.key", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if key, err := web.LoadKey(disk, "/extension.key"); fault.KindOf(err) != fault.Invalid || err == nil {
			t.Errorf("LoadKey of %q = %x, %v", text, key, err)
		}
		if left, err := disk.ReadFile("/extension.key"); string(left) != text || err != nil {
			t.Errorf("the file is %q now, was %q (%v)", left, text, err)
		}
	}
}
