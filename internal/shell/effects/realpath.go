package effects

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// RealPath returns where an absolute path leads once symbolic links are followed. For a
// file that does not exist yet that is the real path of its nearest existing folder, with
// the rest appended. It is "" if the answer cannot be known: for links in a circle, for a
// folder that may not be read, and for a dangling link that something could be written
// through.
//
// For a path with a pattern (*, ?, [) it is where the first match that leaves the folder
// of the pattern leads, if there is one.
func RealPath(path string) string {
	if i := strings.IndexAny(path, "*?["); i >= 0 {
		if _, err := os.Lstat(path); err != nil {
			return realPattern(path, i)
		}
	}
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return dangling(path)
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	if parent = RealPath(parent); parent == "" {
		return ""
	}
	return filepath.Join(parent, filepath.Base(path))
}

// dangling returns where a link leads whose target does not exist.
func dangling(path string) string {
	for range 40 { // as many links as Linux follows
		target, err := os.Readlink(path)
		if err != nil {
			return RealPath(path)
		}
		if !filepath.IsAbs(target) {
			parent := RealPath(filepath.Dir(path))
			if parent == "" {
				return ""
			}
			target = filepath.Join(parent, target)
		}
		path = filepath.Clean(target)
	}
	return ""
}

// maxMatches bounds how many matches of a pattern are followed.
const maxMatches = 4096

// realPattern returns where a pattern leads; at is the index of its first wildcard.
func realPattern(path string, at int) string {
	parent := RealPath(filepath.Clean(path[:strings.LastIndexByte(path[:at], filepath.Separator)+1]))
	matches, err := filepath.Glob(path)
	if parent == "" || err != nil || len(matches) > maxMatches {
		return ""
	}
	for _, m := range matches {
		real, err := filepath.EvalSymlinks(m)
		if err != nil {
			continue // a dangling link, through which nothing can be read
		}
		if rest, err := filepath.Rel(parent, real); err != nil || rest == ".." || strings.HasPrefix(rest, "../") {
			return real
		}
	}
	return filepath.Join(parent, path[strings.LastIndexByte(path[:at], filepath.Separator)+1:])
}
