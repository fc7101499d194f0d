//go:build linux

package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// confinements are the sandboxes that only read.
var confinements = []sandbox.Options{{Bwrap: "-"}, {}}

// A folder of a toolchain can be in an allowed folder, as that of a virtual environment is. A
// command can put a link in its place, and the next sandbox must not show where that leads.
func TestAToolchainInAnAllowedFolderLeadsNowhere(t *testing.T) {
	for _, opts := range confinements {
		work, secret := world(t)
		base := filepath.Dir(secret)
		tree(t, base, "home/.ssh/id", "other/file", "work/.venv/bin/python", "work/gopath/pkg/x", "home/src/.nvm/x")
		links := map[string]string{
			".venv/bin": "home/.ssh", ".venv/lib": "other", "gopath/pkg": "home", "node_modules": ".",
			"indirect": "other", // of a folder of tools in the home folder
		}
		opts.Env = []string{
			"HOME=" + base + "/home", "VIRTUAL_ENV=" + work + "/.venv", "GOPATH=" + work + "/gopath",
			"PATH=" + work + "/.venv/bin:/usr/bin:/bin:" + work + "/node_modules/.bin",
		}
		if err := os.Symlink(filepath.Join(work, "indirect"), filepath.Join(base, "home", ".nvm")); err != nil {
			t.Fatal(err)
		}
		for name, to := range links {
			path := filepath.Join(work, name)
			if err := errors.Join(os.RemoveAll(path), os.Symlink(filepath.Join(base, to), path)); err != nil {
				t.Fatal(err)
			}
		}
		b := host(t, sandbox.ReadOnly, opts).Boxes(t.TempDir())
		defer b.Close()
		p := sandbox.Policy{Mode: sandbox.ReadOnly, Folders: []string{work}}
		if out, _ := bash(t, b, p, "cat .venv/bin/id .venv/lib/file gopath/pkg/.ssh/id indirect/file ~/.nvm/file ../other/file ../home/.ssh/id "+base+"/home/.nvm/file 2>/dev/null; true"); out != "" {
			t.Errorf("bwrap %q shows %q", opts.Bwrap, out)
		}
	}
}

// Folders of tools that are links show no more than others: not the home folder, nor keys.
func TestLinksOfToolchainsShowNoKeys(t *testing.T) {
	for _, opts := range confinements {
		work, secret := world(t)
		base := filepath.Dir(secret)
		tree(t, base, "data/u/.ssh/id", "data/u/.dotnet/tool", "data/dotnet/corefx/key", "data/u/src/bin/tool", "data/u/src/lib/notes")
		for name, to := range map[string]string{"home": "data/u", "tools": "data/u", "keys": "data/u/.ssh", "data/u/.dotnet": "data/dotnet"} {
			path := filepath.Join(base, name)
			if err := errors.Join(os.RemoveAll(path), os.Symlink(filepath.Join(base, to), path)); err != nil {
				t.Fatal(err)
			}
		}
		opts.Env = []string{"HOME=" + base + "/home", "PATH=" + strings.Join([]string{
			"/usr/bin:/bin", base + "/home", base + "/tools", base + "/keys", base + "/home/src/bin",
		}, ":")}
		b := host(t, sandbox.ReadOnly, opts).Boxes(t.TempDir())
		defer b.Close()
		p := sandbox.Policy{Mode: sandbox.ReadOnly, Folders: []string{work}}
		for _, name := range []string{"home/.ssh/id", "tools/.ssh/id", "keys/id", "data/u/.ssh/id", "data/u/.dotnet/corefx/key", "data/dotnet/corefx/key", "home/src/lib/notes", "data/u/src/lib/notes"} {
			if out, _ := bash(t, b, p, "cat "+base+"/"+name+" 2>/dev/null; true"); out != "" {
				t.Errorf("bwrap %q shows %s", opts.Bwrap, name)
			}
		}
	}
}

// Users keep their settings in one folder and have links to them. If the home folder is allowed,
// keys are hidden where the links lead, too.
func TestKeysBehindLinksAreHidden(t *testing.T) {
	for _, opts := range confinements {
		_, secret := world(t)
		home := filepath.Dir(secret)
		tree(t, home, "dotfiles/ssh/id", "dotfiles/netrc", "dotfiles/config/gh/hosts.yml", "notes")
		for name, to := range map[string]string{".ssh": "dotfiles/ssh", ".netrc": "dotfiles/netrc", ".config": "dotfiles/config"} {
			if err := os.Symlink(to, filepath.Join(home, name)); err != nil {
				t.Fatal(err)
			}
		}
		opts.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin"}
		b := host(t, sandbox.ReadOnly, opts).Boxes(t.TempDir())
		defer b.Close()
		p := sandbox.Policy{Mode: sandbox.ReadOnly, Folders: []string{home}}
		for _, name := range []string{".ssh/id", "dotfiles/ssh/id", ".netrc", "dotfiles/netrc", ".config/gh/hosts.yml", "dotfiles/config/gh/hosts.yml"} {
			if out, _ := bash(t, b, p, "cat "+home+"/"+name+" 2>/dev/null; true"); out != "" {
				t.Errorf("bwrap %q shows %s", opts.Bwrap, name)
			}
		}
		if out, _ := bash(t, b, p, "cat "+home+"/notes"); out != "hunter2" {
			t.Errorf("bwrap %q: %q, want the notes", opts.Bwrap, out)
		}
	}
}

// A client can open the home folder, or one above it, without the keys in it.
func TestKeysInFurtherFoldersAreHidden(t *testing.T) {
	for _, opts := range confinements {
		work, secret := world(t)
		base := filepath.Dir(secret)
		tree(t, base, "u/home/.ssh/id", "u/home/notes")
		opts.Env = []string{"HOME=" + base + "/u/home", "PATH=/usr/bin:/bin"}
		b := host(t, sandbox.ReadOnly, opts).Boxes(t.TempDir())
		defer b.Close()
		for _, folder := range []string{base + "/u", base + "/u/home"} {
			for name, p := range map[string]sandbox.Policy{"Read": {Read: []string{folder}}, "Write": {Write: []string{folder}}} {
				p.Mode, p.Folders = sandbox.ReadOnly, []string{work}
				if out, _ := bash(t, b, p, "cd "+base+"/u/home; cat .ssh/id notes 2>/dev/null; true"); out != "hunter2" {
					t.Errorf("bwrap %q, %s %s: %q, want only the notes", opts.Bwrap, name, folder, out)
				}
			}
		}
	}
}
