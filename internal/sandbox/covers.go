package sandbox

import (
	"io/fs"
	"os"
	"slices"
)

// covers are the protected and denied files and folders of a sandbox as they were when it
// started. nil stands for one that did not exist.
type covers map[string]fs.FileInfo

// coversOf returns what a sandbox covers: what its mounts deny and protect in the allowed
// folders, and what its policy names and does not exist.
func coversOf(p Policy, mounts []mount) covers {
	c := covers{}
	for _, path := range slices.Concat(p.Deny, p.Protect) {
		c.add(path)
	}
	for _, m := range mounts {
		allowed := func(folder string) bool { return folder != m.path && within(folder, m.path) }
		if m.from == "" && slices.ContainsFunc(slices.Concat(p.Folders, p.Write), allowed) {
			c.add(m.path)
		}
	}
	return c
}

func (c covers) add(path string) {
	info, err := os.Lstat(path)
	if err != nil {
		info = nil
	}
	c[path] = info
}

// changed reports whether one of them is another file now, or exists only now.
func (c covers) changed() bool {
	for path, before := range c {
		now, err := os.Lstat(path)
		if err == nil && (before == nil || !os.SameFile(before, now)) {
			return true
		}
	}
	return false
}
