package sandbox

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// Bounds of the search for protected files in a folder. A project has its settings near its
// top. The search runs each time a sandbox starts, before its first command, and reads up to
// 20,000 entries of each allowed folder. mostProtected bounds what it finds in all of them: each
// is up to four mounts, of which bwrap can make 3,000, and needs a second for 1,000.
const (
	protectedDepth   = 4
	protectedEntries = 20_000
	mostProtected    = 250
)

// protected returns the files and folders in the folders of [Policy.allowed] that have one of
// the protected names, and the folders of nested git repositories. It looks at the top of a folder
// first, and then further down, until it has seen protectedEntries or found mostProtected.
func (p Policy) protected() []string {
	var found []string
	names := p.patterns()
	for _, folder := range p.allowed() {
		seen, level := 0, []string{folder}
		for depth := 1; depth <= protectedDepth && len(level) > 0; depth++ {
			var below []string
			for _, at := range level {
				most := protectedEntries + 1 - seen
				if depth == 1 {
					most = 0 // all
				} else if most <= 0 {
					break
				}
				entries, err := readFolder(at, most)
				if seen += len(entries); err != nil || seen > protectedEntries && depth > 1 {
					continue // what cannot be read cannot be changed inside either
				}
				for _, e := range entries {
					name := filepath.Join(at, e.Name())
					switch {
					case e.Type()&fs.ModeSymlink != 0: // its end is protected or not by itself
					case names.match(strings.TrimPrefix(name[len(folder):], "/")) || e.Name() == ".git" && depth > 1:
						found = append(found, name)
					case e.IsDir() && e.Name() != "node_modules" && e.Name() != ".git":
						below = append(below, name)
					}
				}
			}
			level = below
		}
	}
	return found[:min(len(found), mostProtected)]
}

// readFolder returns at most so many entries of a folder, in order; 0: all of them.
func readFolder(folder string, most int) ([]fs.DirEntry, error) {
	f, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(most)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// patterns are the names of protected files and folders in lower case, prepared for many
// comparisons: there are some 350 names, and up to 20,000 entries in each folder.
type patterns struct {
	last map[string][]string // by the last element, if * and ? are not in it
	open []string            // the others
}

// patterns returns the names of the policy.
func (p Policy) patterns() patterns {
	all := patterns{last: map[string][]string{}}
	for _, name := range p.ProtectNames {
		name = strings.ToLower(name)
		if last := path.Base(name); strings.ContainsAny(last, `*?\[`) {
			all.open = append(all.open, name)
		} else {
			all.last[last] = append(all.last[last], name)
		}
	}
	return all
}

// match reports whether a path relative to an allowed folder has a protected name, in any
// folder. Upper and lower case count as the same.
func (all patterns) match(relative string) bool {
	relative = strings.ToLower(filepath.ToSlash(relative))
	matches := func(pattern string) bool {
		end := relative
		if extra := strings.Count(relative, "/") - strings.Count(pattern, "/"); extra > 0 {
			end = strings.Join(strings.Split(relative, "/")[extra:], "/")
		}
		ok, err := path.Match(pattern, end)
		return ok && err == nil
	}
	return slices.ContainsFunc(all.last[path.Base(relative)], matches) || slices.ContainsFunc(all.open, matches)
}

// gitNew are those of gitExecutable that a repository need not have: then a sandbox that may
// write to .git cannot keep commands from making them. Of info only attributes names programs,
// and git itself makes modules and worktrees.
var gitNew = []string{"config", "config.worktree", "commondir", "hooks", "info/attributes"}

// Present returns the protected files and folders that exist at the top of the allowed
// folders, sorted, those of git and of [Policy.Protect], and with [Policy.Git] nested repositories and the protected
// files of deeper folders. The files that a command has made are found by comparing the lists before and
// after it. It matches each name of ProtectNames against the entries of each folder, and with
// Git it makes the search of protected as well.
func (p Policy) Present() []string {
	found := p.named()
	for _, folder := range p.allowed() {
		git := filepath.Join(folder, ".git")
		if info, err := os.Lstat(git); err != nil || !info.IsDir() {
			continue // a link may lead to files outside of the folder
		}
		for _, name := range gitNew {
			if file := filepath.Join(git, name); exists(file) {
				found = append(found, file)
			}
		}
	}
	for _, path := range p.Protect {
		if exists(path) { // a mount protects only what is there
			found = append(found, path)
		}
	}
	if p.Git { // git add makes a submodule of a new repository, and git status then obeys its settings
		found = append(found, p.protected()...)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// named returns the files and folders at the top of the allowed folders that have one of the
// protected names.
func (p Policy) named() (found []string) {
	for _, folder := range p.allowed() {
		entries, _ := readFolder(folder, 0) // once for all patterns, because it may be large
		for _, pattern := range p.ProtectNames {
			if !strings.Contains(pattern, "/") && strings.ContainsAny(pattern, "*?") {
				for _, e := range entries {
					if ok, err := path.Match(pattern, e.Name()); ok && err == nil {
						found = append(found, filepath.Join(folder, e.Name()))
					}
				}
				continue
			}
			if matches, err := filepath.Glob(filepath.Join(globQuote.Get().Replace(folder), pattern)); err == nil {
				found = append(found, matches...)
			}
		}
	}
	return found
}

// globQuote makes a pattern that matches only a text. Source: path/filepath.Match.
var globQuote = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)
}}

// disarmed are files in the folder of a repository that no ordinary git command makes there:
// with one of them, the next git command outside would run programs that the file's author
// chose. Source: gitrepository-layout(5); a commondir belongs only in worktrees.
var disarmed = []string{".git/commondir", ".git/config.worktree"}

// Disarm renames those of the files that a command has made which make the next git command
// outside run programs, even the one in a shell's prompt. It returns the names that are left,
// the new ones in place of the old ones. It renames nothing outside of the repository's folder,
// to which another command could lead with a link.
func Disarm(made []string) []string {
	names := slices.Clone(made)
	for i, path := range names {
		for _, end := range disarmed {
			folder, armed := strings.CutSuffix(filepath.ToSlash(path), "/"+end)
			if armed && renameIn(folder, end, end+".untrusted") == nil {
				names[i] = path + ".untrusted"
			}
		}
	}
	return names
}

// renameIn renames a file in a folder. It follows no link that leads out of the folder.
func renameIn(folder, from, to string) error {
	root, err := os.OpenRoot(filepath.FromSlash(folder))
	if err != nil {
		return err
	}
	defer root.Close()
	return root.Rename(from, to)
}
