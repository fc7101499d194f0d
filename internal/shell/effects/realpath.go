package effects

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// maxLinks bounds the symbolic links on one path, as Linux does.
const maxLinks = 40

// maxName is the longest name of a file in bytes, on every system that Sidestick runs on.
const maxName = 255

// RealPath returns where an absolute path leads once symbolic links are followed, one
// element after the other, as the operating system does it: a ".." behind a link leads to
// the folder above the link's target. Elements that do not exist are kept, so for a
// dangling link the result is the path that a program would create through it. The result
// is "" if the answer cannot be known: for links in a circle, and for a folder that may
// not be read. Patterns have no meaning here; see [RealPaths].
func RealPath(path string) (real string) {
	b := newBudget()
	if !b.covers(func() { real = b.realPath(path) }) {
		return ""
	}
	return real
}

func (b *budget) realPath(path string) string {
	path = filepath.FromSlash(path)
	volume := filepath.VolumeName(path)
	done, todo := volume+string(filepath.Separator), path[len(volume):]
	for links := 0; todo != ""; {
		name, rest, _ := strings.Cut(todo, string(filepath.Separator))
		todo = rest
		switch name {
		case "", ".":
			continue
		case "..":
			done = filepath.Dir(done)
			continue
		}
		b.look(len(done) + len(name))
		next := filepath.Join(done, name)
		info, err := os.Lstat(next)
		switch {
		case err != nil && !absent(err, name):
			return ""
		case err != nil || info.Mode()&fs.ModeSymlink == 0:
			done = next
			continue
		}
		b.look(len(next) + len(rest))
		if ofProcess.Get().MatchString(next) {
			return "" // it leads elsewhere for each process that asks
		}
		target, err := os.Readlink(next)
		if links++; err != nil || links > maxLinks {
			return ""
		}
		if filepath.IsAbs(target) {
			volume = filepath.VolumeName(target)
			done, target = volume+string(filepath.Separator), target[len(volume):]
		}
		todo = filepath.FromSlash(target) + string(filepath.Separator) + rest
	}
	return done
}

// ofProcess matches the links by which /proc names the folders and the open files of a process. Source: proc(5).
var ofProcess = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`^/proc/[0-9]+(?:/task/[0-9]+)?/(?:cwd|root|exe|fd/[^/]*|map_files/[^/]*|ns/[^/]*)$`)
}}

// absent reports that nothing can be at a path whose last element is name: nothing is
// there, the element before it is a file, or the name is too long.
func absent(err error, name string) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || len(name) > maxName
}

// maxMatches bounds how many files of a folder, and of all folders of a pattern, are
// looked at.
const maxMatches = 4096

// RealPaths returns every path that an absolute path may lead to, of which the last
// elements may hold patterns (*, ?, [). The first one is where the text itself leads,
// because the shell keeps a pattern that matches nothing. The others are the matches that
// lead elsewhere than to the file of their name. The result is nil if it cannot be known:
// as in [RealPath], for a folder that cannot be listed, and for too many matches.
func RealPaths(path string) (all []string) {
	b := newBudget()
	if !b.covers(func() { all = b.realPaths(path) }) {
		return nil
	}
	return all
}

func (b *budget) realPaths(path string) []string {
	real := b.realPath(path)
	if real == "" {
		return nil
	}
	m := matches{budget: b, paths: []string{real}, left: maxMatches}
	if strings.ContainsAny(path, wildcards) && !m.follow("", path) {
		return nil
	}
	return m.paths
}

// wildcards are the characters that make a text a pattern.
const wildcards = "*?["

// matches collects where the matches of a pattern lead.
type matches struct {
	*budget
	paths []string
	left  int // how many more files may be looked at
}

// follow looks at all matches of a path: done, which exists or is empty, and behind it
// todo, which may hold patterns. It returns false if the matches cannot be known.
func (m *matches) follow(done, todo string) bool {
	at := strings.IndexAny(todo, wildcards)
	if at < 0 {
		return m.add(done + todo)
	}
	begin := strings.LastIndexByte(todo[:at], filepath.Separator) + 1
	element, rest := todo[begin:], ""
	if end := strings.IndexByte(element, filepath.Separator); end >= 0 {
		element, rest = element[:end], element[end:]
	}
	dir := done + todo[:begin]
	if done == "" {
		dir = m.realPath(dir) + string(filepath.Separator)
	}
	names, err := m.list(dir)
	if err != nil {
		return absent(err, "") || errors.Is(err, syscall.ELOOP)
	}
	m.spend(0, len(names)/8)
	for _, name := range names {
		if !mayMatch(element, name) {
			continue
		}
		if name[0] == '-' && endsInExtension(element) {
			return false // a program would take it for an option; other such patterns are never clear
		}
		m.spend(2*len(dir)+4*perItem, 1)
		if m.left--; m.left < 0 || !m.follow(dir+name, rest) {
			return false
		}
	}
	return true
}

// add notes where a match leads, unless it leads to the file of its own name.
func (m *matches) add(path string) bool {
	real := m.realPath(path)
	if real == "" {
		m.look(len(path))
		_, err := os.Stat(path)
		return errors.Is(err, syscall.ELOOP) // no program can open it
	}
	if real != filepath.Clean(path) && !slices.Contains(m.paths, real) {
		m.paths = append(m.paths, real)
	}
	return true
}

// list returns the names in a folder.
func (m *matches) list(dir string) (names []string, err error) {
	m.look(len(dir))
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for len(names) <= maxMatches {
		m.spend(someNames*(maxName+2*perItem), 4)
		more, err := f.Readdirnames(someNames)
		m.bytes += (someNames - len(more)) * (maxName + 2*perItem) // they were not needed
		names = append(names, more...)
		if err == io.EOF {
			return names, nil
		}
		if err != nil {
			return names, err
		}
	}
	return names, errors.New("too many files")
}

// someNames is how many names of a folder are read at once.
const someNames = 256

// mayMatch reports whether an element of a pattern may match a name. It matches more than
// bash does, because what a bracket matches depends on the locale: all that counts is the
// text before the first wildcard and, without a bracket, the text behind the last one.
func mayMatch(element, name string) bool {
	first, last := strings.IndexAny(element, wildcards), strings.LastIndexAny(element, wildcards)
	return strings.HasPrefix(name, element[:first]) &&
		(strings.ContainsRune(element, '[') || strings.HasSuffix(name[first:], element[last+1:]))
}
