package projectfiles

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of [LinkedBelow]. They are those of the search that a sandbox makes for protected files: a
// project has its settings near its top.
const (
	linkedDepth   = 4
	linkedEntries = 20_000
)

// Linked returns where symbolic links lead, in the folder of a project, by which files with a power
// are reached: a link in place of .mcp.json, of .github, of .github/agents or of a file in it. Who
// writes there changes the files with a power. The results are resolved; what a link leads to need
// not exist. resolve returns a path with all its links followed, "" if that fails: such a file
// cannot be read either.
func Linked(disk Disk, resolve func(string) string, folder string) []string {
	return linked(disk, resolve, folder, inProject)
}

// LinkedIn is [Linked] for a folder of another place, such as that of a plugin.
func LinkedIn(disk Disk, resolve func(string) string, folder string, in ...Place) []string {
	return linked(disk, resolve, folder, in)
}

// LinkedBelow is [Linked] for a project and the folders in it, which can be working directories. It
// looks three folders deep, and at 20,000 entries, and not into node_modules.
func LinkedBelow(disk Disk, resolve func(string) string, project string) (ends []string) {
	firsts := firstElements()
	seen, level := 0, []string{project}
	for depth := 1; depth <= linkedDepth && len(level) > 0; depth++ {
		var below []string
		for _, at := range level {
			if seen > linkedEntries {
				return ends
			}
			entries, err := disk.ReadDir(at)
			if err != nil {
				continue
			}
			seen += len(entries)
			has := false
			for _, e := range entries {
				has = has || firsts[strings.ToLower(e.Name())]
				if e.IsDir() && e.Name() != GitFolder && e.Name() != "node_modules" {
					below = append(below, filepath.Join(at, e.Name()))
				}
			}
			if has {
				ends = append(ends, Linked(disk, resolve, at)...)
			}
		}
		level = below
	}
	return ends
}

// firstElements are the names, in lower case, that the paths of files with a power begin with.
func firstElements() map[string]bool {
	names := map[string]bool{}
	for _, e := range table {
		if e.Powers != 0 && e.Plain == "" && slices.Contains(inProject, e.In) {
			first, _, _ := strings.Cut(strings.ToLower(e.Path), "/")
			names[first] = true
		}
	}
	return names
}

func linked(disk Disk, resolve func(string) string, folder string, in []Place) []string {
	l := links{disk: disk, resolve: resolve}
	top := resolve(folder)
	if top == "" {
		return nil
	}
	for _, e := range table {
		if e.Powers == 0 || e.Plain != "" || !slices.Contains(in, e.In) {
			continue
		}
		rest := strings.TrimPrefix(strings.TrimPrefix(e.Path, e.Folder()), "/")
		l.follow(top, filepath.FromSlash(e.Folder()), elements(rest))
	}
	return l.ends
}

// elements returns the elements of a path; none of an empty one.
func elements(path string) []string {
	return slices.DeleteFunc(strings.Split(path, "/"), func(e string) bool { return e == "" })
}

// links collects where links lead.
type links struct {
	disk    Disk
	resolve func(string) string
	ends    []string
}

// follow looks at a name below a resolved folder, and at what matches the rest of a pattern in it.
// Everything below ** belongs to the folder that it is in.
func (l *links) follow(folder, name string, rest []string) {
	plain := filepath.Join(folder, name)
	real := l.resolve(plain)
	if real == "" {
		return
	}
	if real != plain && !slices.Contains(l.ends, real) {
		l.ends = append(l.ends, real)
	}
	if len(rest) == 0 || rest[0] == "**" {
		return
	}
	if !isPattern(rest[0]) {
		l.follow(real, rest[0], rest[1:])
		return
	}
	entries, err := l.disk.ReadDir(real)
	if err != nil {
		return // there is none, or it cannot be read by the loaders either
	}
	for _, e := range entries {
		if same, err := path.Match(rest[0], e.Name()); same && err == nil && (len(rest) > 1 || e.Type()&fs.ModeSymlink != 0) {
			l.follow(real, e.Name(), rest[1:])
		}
	}
}
