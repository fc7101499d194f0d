package app

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

// Whoever asks first makes the key, and all get the same, also when all ask at once.
func TestAHomeHasOneExtensionKey(t *testing.T) {
	home, disk := t.TempDir()+"/home", vfs.OS{}
	keys := make([]string, 8)
	var all sync.WaitGroup
	for i := range keys {
		all.Go(func() {
			signer, err := extensionSigner(t.Context(), home, disk)
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
	if info, err := os.Stat(home + "/" + extensionKeyFile); err != nil || info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		t.Errorf("the key's file is %v, %v; want it for its owner only", info, err)
	}
}

// A key survives a crash at once: agents may have been told of it.
func TestAnExtensionKeyIsDurable(t *testing.T) {
	disk := vfs.NewMem()
	before, err := extensionSigner(t.Context(), "/home", disk)
	if err != nil {
		t.Fatal(err)
	}
	disk.Crash()
	after, err := extensionSigner(t.Context(), "/home", disk)
	if err != nil || !bytes.Equal(before.PublicKeys(), after.PublicKeys()) {
		t.Errorf("after a crash the key is another one: %v", err)
	}
}

// What is there and is no key is never replaced, nor shown.
func TestABrokenExtensionKeyStays(t *testing.T) {
	disk := vfs.NewMem()
	if _, err := extensionSigner(t.Context(), "/home", disk); err != nil {
		t.Fatal(err)
	}
	const broken = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n"
	if err := vfs.WriteFileAtomic(disk, "/home/"+extensionKeyFile, []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := extensionSigner(t.Context(), "/home", disk)
	if fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), "c2Vj") {
		t.Errorf("the error is %v, want one that is invalid and tells nothing", err)
	}
	if got, err := disk.ReadFile("/home/" + extensionKeyFile); err != nil || string(got) != broken {
		t.Errorf("the file is now %q, %v", got, err)
	}
}

// A disk that cannot is an error with the file's name, and leaves no half of a key.
func TestAnExtensionKeyThatCannotBeKept(t *testing.T) {
	mem := vfs.NewMem()
	_, err := extensionSigner(t.Context(), "/home", vfs.Fail(mem, vfs.NoSpace(0)))
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), extensionKeyFile) {
		t.Errorf("the error is %v", err)
	}
	if _, err := mem.Stat("/home/" + extensionKeyFile); !errors.Is(err, fs.ErrNotExist) {
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
		f, err := disk.OpenFile("/home/"+extensionKeyFile+".lock", os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Claim(vfs.ClaimWrite); err != nil {
			t.Fatal(err)
		}
		if _, err := extensionSigner(t.Context(), "/home", disk); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("the error is %v", err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := extensionSigner(t.Context(), "/home", disk); err != nil {
			t.Error(err)
		}
	})
}

// An agent's go.mod asks for the Go that package extension needs, no other.
func TestNewAgentsWantOurGo(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(mod, []byte("\ngo "+goVersion+"\n")) {
		t.Errorf("go.mod does not say go %s", goVersion)
	}
	if !isCheckout(absolute("../..")) || isCheckout(absolute(".")) {
		t.Error("a checkout is not known as one, or something else is")
	}
}

func TestModulesOfNewAgents(t *testing.T) {
	for _, tc := range []struct {
		agent newAgent
		want  string
	}{
		{newAgent{module: "a", version: "v0.1.0"}, "module a\n\ngo " + goVersion + "\n\nrequire " + modulePath + " v0.1.0\n"},
		{newAgent{module: "a"}, "module a\n\ngo " + goVersion + "\n"},
		{newAgent{module: "a", replace: "/my src"}, "module a\n\ngo " + goVersion + "\n\nrequire " + modulePath + " v0.0.0\n\nreplace " + modulePath + " => \"/my src\"\n"},
	} {
		if got := tc.agent.goMod(); got != tc.want {
			t.Errorf("go.mod is %q, want %q", got, tc.want)
		}
	}
	for name, right := range map[string]bool{"a": true, "example.com/a-b/c.d": true, "": false, "a b": false, "/a": false, "a/": false, "..": false, "a//b": false} {
		if moduleName.MatchString(name) != right {
			t.Errorf("module %q is taken: %v", name, !right)
		}
	}
}

// Headers of a recording are taken off where there are some, whatever their line ends.
func TestSplitReply(t *testing.T) {
	for _, tc := range []struct {
		raw    string
		status int
		body   string
	}{
		{"data: x\n\n", 0, "data: x\n\n"},
		{"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: x\n\n", 200, "data: x\n\n"},
		{"HTTP/2 401 \nA: b\n\nno", 401, "no"},
		{"HTTP/1.1 200 OK\r\n\r\n", 200, ""},
		{"HTTP/1.1 200 OK\nno header at all\n\ndata: x", 0, "HTTP/1.1 200 OK\nno header at all\n\ndata: x"},
		{"HTTP/1.1 200 OK", 0, "HTTP/1.1 200 OK"},
		{"", 0, ""},
	} {
		status, _, body := splitReply([]byte(tc.raw))
		if status != tc.status || string(body) != tc.body {
			t.Errorf("splitReply(%q) = %d, %q; want %d, %q", tc.raw, status, body, tc.status, tc.body)
		}
	}
}
