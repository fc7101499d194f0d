package wiring

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// The first caller creates the key, and all get the same one, also if all call at once.
func TestAHomeHasOneExtensionKey(t *testing.T) {
	home, disk := t.TempDir()+"/home", vfs.OS{}
	keys := make([]string, 8)
	var all sync.WaitGroup
	for i := range keys {
		all.Go(func() {
			signer, err := ExtensionSigner(t.Context(), home, disk)
			if err != nil {
				t.Error(err)
				return
			}
			keys[i] = string(signer.PublicKeys())
		})
	}
	all.Wait()
	for _, k := range keys {
		if k != keys[0] {
			t.Fatalf("there are two keys: %s and %s", keys[0], k)
		}
	}
	if info, err := os.Stat(home + "/" + ExtensionKeyFile); err != nil || info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		t.Errorf("the key's file is %v, %v; want it for its owner only", info, err)
	}
}

// A key survives a crash at once: agents may have been told of it.
func TestAnExtensionKeyIsDurable(t *testing.T) {
	disk := vfs.NewMem()
	before, err := ExtensionSigner(t.Context(), "/home", disk)
	if err != nil {
		t.Fatal(err)
	}
	disk.Crash()
	after, err := ExtensionSigner(t.Context(), "/home", disk)
	if err != nil || !bytes.Equal(before.PublicKeys(), after.PublicKeys()) {
		t.Errorf("after a crash the key is another one: %v", err)
	}
}

// A file that is not a key is never replaced, and its content is not printed.
func TestABrokenExtensionKeyStays(t *testing.T) {
	disk := vfs.NewMem()
	if _, err := ExtensionSigner(t.Context(), "/home", disk); err != nil {
		t.Fatal(err)
	}
	const broken = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n"
	if err := vfs.WriteFileAtomic(disk, "/home/"+ExtensionKeyFile, []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := ExtensionSigner(t.Context(), "/home", disk)
	if fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), "c2Vj") {
		t.Errorf("the error is %v, want one that is invalid and tells nothing", err)
	}
	if got, err := disk.ReadFile("/home/" + ExtensionKeyFile); err != nil || string(got) != broken {
		t.Errorf("the file is now %q, %v", got, err)
	}
}

// A disk that cannot is an error with the file's name, and leaves no half of a key.
func TestAnExtensionKeyThatCannotBeKept(t *testing.T) {
	mem := vfs.NewMem()
	_, err := ExtensionSigner(t.Context(), "/home", vfs.Fail(mem, vfs.NoSpace(0)))
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), ExtensionKeyFile) {
		t.Errorf("the error is %v", err)
	}
	if _, err := mem.Stat("/home/" + ExtensionKeyFile); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a file: %v", err)
	}
}

// One that takes forever to make the key is not waited for forever.
func TestAnExtensionKeyInTheMaking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := vfs.NewMem()
		if err := disk.MkdirAll("/home", 0o700); err != nil {
			t.Fatal(err)
		}
		f, err := disk.OpenFile("/home/"+ExtensionKeyFile+".lock", os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Claim(vfs.ClaimWrite); err != nil {
			t.Fatal(err)
		}
		if _, err := ExtensionSigner(t.Context(), "/home", disk); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("the error is %v", err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := ExtensionSigner(t.Context(), "/home", disk); err != nil {
			t.Error(err)
		}
	})
}
