package sandbox

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// protected returns what of the folders of [Policy.allowed] cannot be written: the files and
// folders that have one of the protected names, the folders of nested git repositories, and what a limit
// has kept the look from seeing. It uses what earlier looks have seen.
func (p Policy) protected(m *memory) []string {
	found, unseen := m.look(p)
	return coverWhole(p.allowed(), slices.Concat(found, unseen), mostMounts)
}

// patterns are the names of protected files and folders in lower case, prepared for many
// comparisons: there are some 350 names, and up to a million entries.
type patterns struct {
	last map[string][]string // by the last element, if * and ? are not in it
	open []open              // the others
}

// open is a name with * or ? in its last element: what that begins and ends with, and the name.
type open struct{ begin, end, name string }

// patterns returns the names of the policy.
func (p Policy) patterns() patterns {
	all := patterns{last: map[string][]string{}}
	for _, name := range p.ProtectNames {
		name = strings.ToLower(name)
		last := path.Base(name)
		if first := strings.IndexAny(last, wildcards); first < 0 {
			all.last[last] = append(all.last[last], name)
		} else {
			all.open = append(all.open, open{last[:first], last[strings.LastIndexAny(last, wildcards)+1:], name})
		}
	}
	return all
}

const wildcards = `*?\[]`

// mayMatch reports whether a path whose last element is name can match.
func (all patterns) mayMatch(name string) bool {
	name = strings.ToLower(name)
	return len(all.last[name]) > 0 || slices.ContainsFunc(all.open, func(o open) bool { return strings.HasPrefix(name, o.begin) && strings.HasSuffix(name, o.end) })
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
	return slices.ContainsFunc(all.last[path.Base(relative)], matches) ||
		slices.ContainsFunc(all.open, func(o open) bool { return matches(o.name) })
}

// gitNew are those of gitExecutable that a repository need not have: then a sandbox that may
// write to .git cannot keep commands from making them. Of info only attributes names programs,
// and git itself makes modules and worktrees.
var gitNew = []string{"config", "config.worktree", "commondir", "hooks", "info/attributes"}

// Present returns the protected files and folders that exist at the top of the allowed
// folders, sorted, those of git and of [Policy.Protect], and with [Policy.Git] nested repositories and the protected
// files of deeper folders. The files that a command has made are found by comparing the lists before and
// after it. It matches each name of ProtectNames against the entries of each folder, and with
// Git it looks at everything in the folders as well. [Boxes.Present] does the same faster.
func (p Policy) Present() []string { return p.present(&memory{}) }

func (p Policy) present(m *memory) []string {
	found := p.named()
	for _, git := range p.gitFolders() {
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
		all, _ := m.look(p)
		found = append(found, all...)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// named returns the files and folders at the top of the allowed folders that have one of the
// protected names.
func (p Policy) named() (found []string) {
	for _, folder := range p.allowed() {
		entries, _ := os.ReadDir(folder) // once for all patterns, because it may be large
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

// gitFolders returns the folders of repositories in which commands may make files: .git at the top of each
// allowed folder, whether it exists or not, and with [Policy.Git] that of a folder above.
func (p Policy) gitFolders() (all []string) {
	for _, folder := range p.allowed() {
		all = append(all, filepath.Join(folder, ".git"))
	}
	if p.Git {
		for _, r := range p.repositories() {
			if r.link == "" {
				all = append(all, r.folders...)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// disarmed are files in the folder of a repository that no ordinary git command makes in one that
// exists: with one of them, a later git command outside would run programs that the file's author
// chose. Source: gitrepository-layout(5); a commondir belongs only in worktrees. git init makes hooks
// and info, with the config, which is not in this list.
var disarmed = []string{".git/commondir", ".git/config.worktree", ".git/hooks", ".git/info/attributes"}

// Disarm renames those of the files that a command has made which make a later git command
// outside run programs, even the one in a shell's prompt. It returns the names that are left,
// the new ones in place of the old ones. It renames nothing outside of the repository's folder,
// to which another command could lead with a link, and no hooks of a repository that is new itself.
//
// No process that may write to the repository's folder may be left: see [Boxes.Clear].
func Disarm(made []string) []string {
	names := slices.Clone(made)
	for i, path := range names {
		for _, end := range disarmed {
			folder, armed := strings.CutSuffix(filepath.ToSlash(path), "/"+end)
			isNew := slices.Contains(made, filepath.FromSlash(folder+"/.git/config")) && (end == ".git/hooks" || end == ".git/info/attributes")
			if !armed || isNew {
				continue
			}
			if to, err := renameIn(folder, end); err == nil {
				names[i] = filepath.FromSlash(folder + "/" + to)
			}
		}
	}
	return names
}

// mostUntrusted bounds the names that renameIn tries: nobody keeps more of these files.
const mostUntrusted = 1000

// renameIn renames a file in a folder to a name that ends with "untrusted", and returns that: one that
// does not exist, because a folder cannot replace another one that is not empty. It follows no link that
// leads out of the folder.
func renameIn(folder, from string) (to string, err error) {
	root, err := os.OpenRoot(filepath.FromSlash(folder))
	if err != nil {
		return "", err
	}
	defer root.Close()
	to = from + ".untrusted"
	for i := 2; i < mostUntrusted; i++ {
		if _, err := root.Lstat(to); err != nil {
			break
		}
		to = fmt.Sprintf("%s.%d.untrusted", from, i)
	}
	return to, root.Rename(from, to)
}
