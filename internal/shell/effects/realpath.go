package effects

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Real returns where an absolute path leads, symbolic links followed: of a file that
// does not exist yet, its nearest folder that does, with the rest behind it. "" if that
// cannot be known: links in a circle, a folder that may not be looked into, a link to
// nothing that something could be written through.
//
// A path with a pattern (*, ?, [) leads to where the first of its matches goes that
// leaves the folder of the pattern, if one does.
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

// dangling is where a link leads whose end does not exist.
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

// maxMatches bounds how many files of a pattern are followed.
const maxMatches = 4096

// realPattern is where a pattern leads; at is where its first wildcard stands.
func realPattern(path string, at int) string {
	parent := RealPath(filepath.Clean(path[:strings.LastIndexByte(path[:at], filepath.Separator)+1]))
	matches, err := filepath.Glob(path)
	if parent == "" || err != nil || len(matches) > maxMatches {
		return ""
	}
	for _, m := range matches {
		real, err := filepath.EvalSymlinks(m)
		if err != nil {
			continue // a link to nothing, which cannot be read through
		}
		if rest, err := filepath.Rel(parent, real); err != nil || rest == ".." || strings.HasPrefix(rest, "../") {
			return real
		}
	}
	return filepath.Join(parent, path[strings.LastIndexByte(path[:at], filepath.Separator)+1:])
}
