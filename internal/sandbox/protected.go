package sandbox

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// protected returns what of the folders of [Policy.allowed] cannot be written: the files and
// folders that have one of the protected names, the ends of links that have one, the folders of
// nested git repositories, and what a limit has kept the look from seeing. It uses what earlier looks have seen.
func (p Policy) protected(m *memory) []string {
	s := m.look(p)
	paths := slices.Concat(s.found, s.unseen)
	for _, folder := range s.bare {
		if !slices.Contains(p.allowed(), folder) {
			paths = append(paths, folder)
			continue
		}
		for _, name := range gitExecutable { // the user works in the folder of a repository
			if file := filepath.Join(folder, name); exists(file) {
				paths = append(paths, file)
			}
		}
	}
	names := p.patterns()
	for _, l := range s.links {
		for _, path := range names.actingBehind(p.allowed(), l.path) {
			if end := p.endInside(path); end != "" {
				paths = append(paths, end)
			}
		}
	}
	return coverWhole(p.allowed(), paths, mostMounts)
}

// endInside returns where a link leads, if that is in an allowed folder and is none itself.
func (p Policy) endInside(path string) string {
	end, err := filepath.EvalSymlinks(path)
	inside := func(folder string) bool { return end != folder && within(folder, end) }
	if err != nil || slices.Contains(p.allowed(), end) || !slices.ContainsFunc(p.allowed(), inside) {
		return ""
	}
	return end
}

// patterns are the names of protected files and folders in lower case, prepared for many
// comparisons: there are some 350 names, and up to millions of entries.
type patterns struct {
	last map[string][]string // by the last element, if * and ? are not in it
	open []open              // the others
	// ways are the beginnings of names that have several elements. A link in such a place leads to files
	// that have the rest of the name.
	ways map[string][]string
}

// open is a name with * or ? in its last element: what that begins and ends with, and the name.
type open struct{ begin, end, name string }

// patterns returns the names of the policy.
func (p Policy) patterns() patterns {
	all := patterns{last: map[string][]string{}, ways: map[string][]string{}}
	for _, name := range p.ProtectNames {
		name = strings.ToLower(name)
		last := path.Base(name)
		if first := strings.IndexAny(last, wildcards); first < 0 {
			all.last[last] = append(all.last[last], name)
		} else {
			all.open = append(all.open, open{last[:first], last[strings.LastIndexAny(last, wildcards)+1:], name})
		}
		for way := path.Dir(name); way != "."; way = path.Dir(way) {
			all.ways[path.Base(way)] = append(all.ways[path.Base(way)], way)
		}
	}
	return all
}

const wildcards = `*?\[]`

// mayMatch reports whether a path whose last element is name can match.
func (all patterns) mayMatch(name string, link bool) bool {
	name = strings.ToLower(name)
	return len(all.last[name]) > 0 || link && len(all.ways[name]) > 0 ||
		slices.ContainsFunc(all.open, func(o open) bool { return strings.HasPrefix(name, o.begin) && strings.HasSuffix(name, o.end) })
}

// match reports whether a path relative to an allowed folder has a protected name, in any
// folder, or if it is that of a link the beginning of one. Upper and lower case count as the same.
func (all patterns) match(relative string, link bool) bool {
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
		slices.ContainsFunc(all.open, func(o open) bool { return matches(o.name) }) ||
		link && slices.ContainsFunc(all.ways[path.Base(relative)], matches)
}

// actingBehind returns the paths with a protected name that a link with the name of one, or with the beginning
// of one, leads to and that exist: the link itself, and what has the rest of the name.
func (all patterns) actingBehind(roots []string, link string) (paths []string) {
	relative := strings.TrimPrefix(link[len(rootOf(roots, link)):], "/")
	if all.match(relative, false) || strings.EqualFold(filepath.Base(link), ".git") {
		paths = append(paths, link)
	}
	for _, way := range all.ways[strings.ToLower(filepath.Base(link))] {
		for _, name := range all.under(way) {
			found, err := filepath.Glob(filepath.Join(globQuote.Get().Replace(link), strings.TrimPrefix(name, way+"/")))
			if err == nil {
				paths = append(paths, found...)
			}
		}
	}
	return paths
}

// under returns the names that begin with other elements.
func (all patterns) under(way string) (names []string) {
	for _, some := range all.last {
		names = append(names, some...)
	}
	for _, o := range all.open {
		names = append(names, o.name)
	}
	return slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, way+"/") })
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
