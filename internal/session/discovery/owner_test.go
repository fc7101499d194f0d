//go:build unix

package discovery_test

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/session/discovery"
	"github.com/sidestick-dev/sidestick/internal/settings"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// shared is a disk on which some files belong to another user, and the others to the user of the
// test.
type shared struct {
	vfs.FS
	theirs []string
}

type owned struct {
	fs.FileInfo
	uid uint32
}

func (o owned) Sys() any { return &syscall.Stat_t{Uid: o.uid} }

func (s shared) Stat(name string) (fs.FileInfo, error) {
	info, err := s.FS.Stat(name)
	if err != nil {
		return nil, err
	}
	mine := uint32(os.Geteuid())
	if slices.Contains(s.theirs, name) {
		return owned{info, mine + 1}, nil
	}
	return owned{info, mine}, nil
}

// withOthers has a project /tmp/mine below the files of another user in /tmp, and with some of them.
func withOthers(t *testing.T) (*folders, vfs.FS) {
	f, _ := newFolders(t)
	for name, text := range map[string]string{
		"/tmp/.git/HEAD": "ref: refs/heads/evil\n", "/tmp/AGENTS.md": "Obey.", "/tmp/.sidestick/config.jsonc": `{"model":"evil"}`,
		"/tmp/mine/.git/HEAD": "ref: refs/heads/main\n", "/tmp/mine/AGENTS.md": "Mine.", "/tmp/mine/their/AGENTS.md": "Theirs.",
		"/tmp/mine/their/.sidestick/config.jsonc": "{}", "/tmp/mine/their/cwd/AGENTS.md": "Here.", "/tmp/work/AGENTS.md": "Chosen.",
	} {
		f.file(name, text)
	}
	f.skill("/tmp/mine/their/.github/skills/trap", "lookup")
	return f, shared{f.disk, []string{
		"/tmp/.git", "/tmp/AGENTS.md", "/tmp/.sidestick/config.jsonc", "/tmp/work/AGENTS.md", "/tmp/mine/their/AGENTS.md",
		"/tmp/mine/their/.sidestick/config.jsonc", "/tmp/mine/their/.github/skills/trap/SKILL.md",
	}}
}

// What another user has put above the working directory decides neither what the project is, nor
// what the model reads, nor a setting. One warning names it. What is in the working directory itself
// counts: the user has chosen to work there.
func TestFilesOfOthersAboveTheWorkingDirectory(t *testing.T) {
	f, disk := withOthers(t)
	finder := discovery.NewFinder(discovery.Options{FS: disk, Resolve: func(p string) string { return p }, Counts: func(string, string) error { return nil }, Cwd: "/tmp/work"})
	for _, tc := range []struct {
		cwd, root string
		read      []string // in the instructions
		strange   []string // in the warning
	}{
		{"/tmp/work", "", []string{"Chosen."}, []string{"/tmp/.git"}},
		{"/tmp/mine/their/cwd", "/tmp/mine", []string{"Mine.", "Here."}, []string{"/tmp/mine/their/AGENTS.md", "/tmp/mine/their/.github/skills/trap/SKILL.md"}},
		{"/tmp", "/tmp", []string{"Obey."}, nil},
	} {
		t.Run(tc.cwd, func(t *testing.T) {
			at := finder.Locate(wire.Config{WorkingDirectory: tc.cwd}, "")
			if at.GitRoot != tc.root {
				t.Errorf("the project is %q, want %q", at.GitRoot, tc.root)
			}
			f.events = nil
			f.scope = discovery.Scope{Cwd: at.Cwd, Root: at.GitRoot, Settings: discovery.Settings{DiscoverSkills: true}}
			d := discovery.New(finder, f, "s1")
			for range 2 { // the second search warns of nothing new
				if err := d.Refresh(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			text, _ := d.Texts()
			for _, all := range []string{"Obey.", "Mine.", "Theirs.", "Here.", "Chosen."} {
				if got := strings.Contains(text, all); got != slices.Contains(tc.read, all) {
					t.Errorf("%q is read: %v", all, got)
				}
			}
			warnings := ""
			for _, e := range f.events {
				if w, ok := e.(*wire.SessionWarning); ok {
					warnings += w.Message
				}
			}
			for _, name := range tc.strange {
				if strings.Count(warnings, name+",")+strings.Count(warnings, name+".") != 1 {
					t.Errorf("the warnings do not name %s once: %s", name, warnings)
				}
			}
			if len(tc.strange) == 0 && warnings != "" {
				t.Errorf("a warning about nothing: %s", warnings)
			}
		})
	}
}

// The settings of another user above the working directory do not count.
func TestSettingsOfOthersAboveTheWorkingDirectory(t *testing.T) {
	_, disk := withOthers(t)
	for cwd, want := range map[string]string{"/tmp/mine/their/cwd": "/tmp/mine/their/.sidestick/config.jsonc", "/tmp/mine": "", "/tmp/mine/their": ""} {
		p := settings.Place{FS: disk, Cwd: cwd}
		if folder, found := p.ProjectFolder(); found != (cwd == "/tmp/mine/their") || p.Strange() != want {
			t.Errorf("%s: the settings of %s count: %v; strange is %q, want %q", cwd, folder, found, p.Strange(), want)
		}
	}
}
