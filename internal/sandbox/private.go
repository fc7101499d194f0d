package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
)

// rooms names the private folders of a sandbox below dir.
func (h *Host) rooms(p Policy, dir string) rooms {
	in := func(name string) string { return filepath.Join(dir, name) }
	return rooms{home: in("home"), tmp: in("tmp"), own: in("own"), git: in("gitconfig"), keep: h.cachesOf(p)}
}

// cachesOf returns the folder in which the caches of a sandbox are kept for the next one with
// the same primary folder. One that only reads keeps none: nobody approved its commands, and
// what they leave in a cache must not become a part of the next build.
func (h *Host) cachesOf(p Policy) string {
	if !p.writes() || h.opts.State == "" || len(p.Folders) == 0 {
		return ""
	}
	sum := sha256.Sum256([]byte(p.Folders[0]))
	return filepath.Join(h.opts.State, hex.EncodeToString(sum[:8]))
}

// make makes the private folders.
func (r rooms) make() error {
	folders := []string{r.home, r.tmp, r.own}
	for _, name := range caches {
		if r.keep != "" {
			folders = append(folders, filepath.Join(r.keep, name))
		}
	}
	var errs []error
	for _, folder := range folders {
		errs = append(errs, os.MkdirAll(folder, 0o700))
	}
	return errors.Join(errs...)
}
