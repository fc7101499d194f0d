package sandbox

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// covers are the protected and denied files and folders of a sandbox as they were when it
// started. A path without a file did not exist then.
type covers struct {
	policy Policy
	files  map[string]file
	// Only if commands may write: what [Policy.named] has found, and when the entries of the
	// allowed folders were changed the last time before that.
	named  []string
	latest map[string]unix.StatxTimestamp
}

// file identifies a file. Its time of birth distinguishes it from a later one that has got the
// same number; it is 0 where the file system does not know it.
type file struct {
	major, minor uint32
	inode        uint64
	born         unix.StatxTimestamp
}

// fileAt returns the file at a path, the link if there is one. It is the zero value if there is
// none.
func fileAt(path string) file {
	var s unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_INO|unix.STATX_BTIME, &s); err != nil {
		return file{}
	}
	return file{s.Dev_major, s.Dev_minor, s.Ino, s.Btime}
}

// changes returns when the entries of the allowed folders were changed the last time.
func (c covers) changes() map[string]unix.StatxTimestamp {
	latest := map[string]unix.StatxTimestamp{}
	for _, folder := range c.policy.allowed() {
		var s unix.Statx_t
		if unix.Statx(unix.AT_FDCWD, folder, 0, unix.STATX_MTIME, &s) == nil {
			latest[folder] = s.Mtime
		}
	}
	return latest
}

// coversOf returns what a sandbox covers: what its mounts deny and protect in the allowed
// folders, and what its policy names and does not exist.
func coversOf(p Policy, mounts []mount) covers {
	c := covers{policy: p, files: map[string]file{}}
	for _, path := range slices.Concat(p.Deny, p.Protect) {
		c.files[path] = fileAt(path)
	}
	for _, m := range mounts {
		allowed := func(folder string) bool { return folder != m.path && within(folder, m.path) }
		if m.from == "" && slices.ContainsFunc(p.allowed(), allowed) {
			c.files[m.path] = fileAt(m.path)
		}
	}
	if !p.writes() {
		return c
	}
	for _, folder := range p.allowed() {
		var names []string
		for _, name := range p.ProtectNames {
			if strings.Contains(name, "/") && !strings.ContainsAny(name, `*?[\`) {
				names = append(names, name) // the time of the folder does not show that it was made
			}
		}
		for _, name := range names {
			path := filepath.Join(folder, name)
			c.files[path] = fileAt(path)
		}
	}
	for _, git := range p.gitFolders() {
		c.files[git] = fileAt(git)
		for _, name := range gitNew {
			path := filepath.Join(git, name)
			c.files[path] = fileAt(path)
		}
	}
	c.latest = c.changes()
	c.named = p.named()
	return c
}

// changed reports whether one of them is another file now, or exists only now.
func (c *covers) changed() bool {
	for path, before := range c.files {
		if now := fileAt(path); now != (file{}) && now != before {
			return true
		}
	}
	latest := c.changes()
	if !c.policy.writes() || maps.Equal(latest, c.latest) {
		return false
	}
	c.latest = latest
	return slices.ContainsFunc(c.policy.named(), func(path string) bool { return !slices.Contains(c.named, path) })
}
