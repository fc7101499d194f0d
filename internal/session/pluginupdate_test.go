package session_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// The user trusts a plugin as it is. When another copy of its repository has other content, such as a hook
// that runs another program, the user has to look at it again.
func TestTrustInAPluginEndsWhenItChanges(t *testing.T) {
	r, _, content := withRepository(t)
	content["marketplace.json"] = `{"name":"shop","plugins":[{"name":"p","source":"./p"}]}`
	content["plugin.json"], content["p/hooks.json"], content["p/look.sh"] = `{"name":"whole"}`, `{"version":1}`, "true"
	if _, err := r.Plugins().AddMarketplace(t.Context(), "a/b", ""); err != nil {
		t.Fatal(err)
	}
	whole, err := r.Plugins().Install(t.Context(), "a/b", "")
	if err != nil {
		t.Fatal(err)
	}
	part, err := r.Plugins().Install(t.Context(), "p@shop", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Trust().Add("/elsewhere"); err != nil {
		t.Fatal(err)
	}
	update := func() error { _, _, err := r.Plugins().Update(t.Context(), "whole"); return err }
	refresh := func() error { return r.Plugins().Refresh(t.Context(), "shop") }
	for _, tc := range []struct {
		name   string
		change func()
		copies func() error
		trust  bool // is what is left
	}{
		{"the same", func() {}, update, true},
		{"the same, by its marketplace", func() {}, refresh, true},
		{"what git keeps", func() { content[".git/FETCH_HEAD"] = "x" }, update, true},
		{"a hook", func() { content["p/hooks.json"] = `{"version":2}` }, update, false},
		{"a script of a hook, by its marketplace", func() { content["p/look.sh"] = "evil" }, refresh, false},
		{"another file", func() { content["p/.mcp.json"] = "{}" }, update, false},
		{"a file less", func() { delete(content, "p/look.sh") }, refresh, false},
		{"no other marketplace.json", func() {}, refresh, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, dir := range []string{part.Dir, whole.Dir} { // the part alone, then the whole
				if err := r.Trust().Add(dir); err != nil {
					t.Fatal(err)
				}
			}
			tc.change()
			if err := tc.copies(); err != nil {
				t.Fatal(err)
			}
			for dir, want := range map[string]bool{whole.Dir: tc.trust, part.Dir: tc.trust, "/elsewhere": true} {
				if trusted, err := r.Trust().Has(dir); err != nil || trusted != want {
					t.Errorf("%s is trusted: %v, %v, want %v", dir, trusted, err, want)
				}
			}
		})
	}
}

// If the trust cannot be taken back, the copy that the user has looked at stays.
func TestATrustedPluginStaysIfTrustCannotEnd(t *testing.T) {
	r, disk, content := withRepository(t)
	content["plugin.json"], content["hooks.json"] = `{"name":"whole"}`, `{"version":1}`
	whole, err := r.Plugins().Install(t.Context(), "a/b", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := vfs.WriteFileAtomic(disk, "/home/permissions.json", []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	content["hooks.json"] = `{"version":2}`
	if _, _, err := r.Plugins().Update(t.Context(), "whole"); err == nil {
		t.Error("the copy was replaced although the trust in it did not end")
	}
	if after, err := disk.ReadFile(filepath.Join(whole.Dir, "hooks.json")); err != nil || string(after) != `{"version":1}` {
		t.Errorf("the copy has %s, %v", after, err)
	}
}

// withRepository is a runtime for which every repository has a content that the test changes.
func withRepository(t *testing.T) (*registry.Registry, *vfs.Mem, map[string]string) {
	t.Helper()
	disk, content := vfs.NewMem(), map[string]string{}
	r := registry.New(registry.Options{
		FS: disk, Resolve: filepath.Clean, Home: "/home", Cwd: "/work", Permissions: "/home/permissions.json",
		Clone: func(_ context.Context, _, dir string) error {
			for name, text := range content {
				path := filepath.Join(dir, name)
				if err := disk.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					return err
				}
				if err := vfs.WriteFileAtomic(disk, path, []byte(text), 0o600); err != nil {
					return err
				}
			}
			return nil
		},
	})
	if err := disk.MkdirAll("/home", 0o700); err != nil {
		t.Fatal(err)
	}
	return r, disk, content
}
