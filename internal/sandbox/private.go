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

// privateFolders returns the folders that hold all private folders of the sandboxes of a session, and the caches of all
// sessions, with links resolved.
func (h *Host) privateFolders(temp string) (all []string) {
	for _, folder := range []string{h.opts.State, temp} {
		if folder != "" {
			all = append(all, realEnd(folder))
		}
	}
	return all
}

// realEnd follows the links in a path, of which the end may be missing. It follows as many links whose end is missing as
// Linux follows links; what is behind the next one is not followed.
func realEnd(path string) string {
	rest := ""
	for at, links := filepath.Clean(path), 0; ; {
		if real, err := filepath.EvalSymlinks(at); err == nil || at == filepath.Dir(at) {
			return filepath.Join(real, rest)
		}
		if to, err := os.Readlink(at); err == nil && links < 40 {
			if !filepath.IsAbs(to) {
				to = filepath.Join(filepath.Dir(at), to)
			}
			at, links = filepath.Clean(to), links+1
			continue
		}
		at, rest = filepath.Dir(at), filepath.Join(filepath.Base(at), rest)
	}
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
