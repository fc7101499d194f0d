package permit

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
)

// ProtectedNames returns the names of files and folders from which programs start something
// without being told to, in lower case: the built-in list and [Rules.Protected]. A name with
// slashes is that many elements of a path in a row, * is any text within one element, and a
// folder stands for everything in it. Case does not count.
func (r Rules) ProtectedNames() []string { return slices.Concat(builtinNames.Get(), r.Protected) }

// builtinNames are the names of other programs, and those of this one, which package projectfiles
// has in its table.
var builtinNames = lazy.Value[[]string]{Make: func() []string {
	return append(slices.Clip(protectedNames), slices.DeleteFunc(projectfiles.Protected(), func(name string) bool {
		return slices.Contains(protectedNames, name)
	})...)
}}

// maxProtected bounds the elements of a protected name. The built-in ones have up to three.
const maxProtected = 8

// ParseProtected returns a name for [Rules.Protected] in the form in which it is compared.
// Anything else than elements of a path, separated by slashes, is [fault.Invalid].
func ParseProtected(text string) (string, error) {
	name := strings.ToLower(strings.TrimSuffix(strings.TrimSpace(text), "/"))
	elements := strings.Split(name, "/")
	switch {
	case name == "":
		return "", invalid(text, "the name of a protected file cannot be empty")
	case strings.HasPrefix(name, "/"), strings.HasPrefix(name, "~"), strings.ContainsAny(name, `\`), hasInvisible(name):
		return "", invalid(text, "a protected file is named by the last elements of its path, as in .envrc or .config/autostart")
	case slices.Contains(elements, ""), slices.Contains(elements, "."), slices.Contains(elements, ".."), slices.Contains(elements, "*"), strings.Contains(name, "**"):
		return "", invalid(text, "every element of the name of a protected file has to name something; * stands for text within one")
	case len(elements) > maxProtected:
		return "", invalid(text, "the name of a protected file has at most %d elements", maxProtected)
	}
	if _, err := path.Match(name, ""); err != nil || strings.ContainsAny(name, "[]") {
		return "", invalid(text, "[ is not a pattern here, only * and ? are")
	}
	return name, nil
}

// plainProtected are the protected names that are one element without a pattern;
// otherProtected are the elements of the others, by the first one, which is "" for a pattern.
var (
	plainProtected = lazy.Value[map[string]bool]{Make: func() map[string]bool {
		plain := map[string]bool{}
		for _, name := range builtinNames.Get() {
			if !strings.ContainsAny(name, "/*?") {
				plain[name] = true
			}
		}
		return plain
	}}
	otherProtected = lazy.Value[map[string][][]string]{Make: func() map[string][][]string {
		others := map[string][][]string{}
		for _, name := range builtinNames.Get() {
			if strings.ContainsAny(name, "/*?") {
				elements := strings.Split(name, "/")
				first := elements[0]
				if strings.ContainsAny(first, "*?") {
					first = ""
				}
				others[first] = append(others[first], elements)
			}
		}
		return others
	}}
)

// runsPrograms reports whether writing a path may make programs run by themselves. The
// path of the allowed folder itself does not count.
func (r Rules) runsPrograms(p Path) bool {
	return r.protects(p.Name) || p.Real != p.Name && r.protects(p.Real)
}

func (r Rules) protects(name string) bool {
	if r.brought(name) || r.linked(name) {
		return true
	}
	for _, dir := range r.Folders.All() {
		if within(dir, name) {
			name = strings.TrimPrefix(name, dir)
			break
		}
	}
	elements := strings.Split(filepath.ToSlash(name), "/") // thousands, in a path that a command names
	for i, e := range elements {
		if len(e) > maxElement {
			e = ""
		}
		elements[i] = asFileSystemsRead(e)
		if plainProtected.Get()[elements[i]] {
			return true
		}
	}
	own := make([][]string, len(r.Protected))
	for i, name := range r.Protected {
		own[i] = strings.Split(name, "/")
	}
	others := otherProtected.Get()
	for i, e := range elements {
		for _, list := range [][][]string{others[e], others[""], own} {
			if slices.ContainsFunc(list, func(protected []string) bool { return beginsAs(elements[i:], protected) }) {
				return true
			}
		}
	}
	return false
}

// brought reports whether a file lies in one of the folders of [Rules.Brought], or in
// [Rules.State]. If an allowed folder is in that folder, or is the same, the user works on it, and
// only the files count by which it starts or grants something.
func (r Rules) brought(name string) bool {
	folders := r.Brought
	if r.State != "" {
		folders = append(slices.Clip(folders), r.State)
	}
	for _, folder := range folders {
		relative, in := inFolder(folder, name)
		switch {
		case !in:
		case !slices.ContainsFunc(r.Folders.All(), func(allowed string) bool { return within(folder, allowed) }):
			return true
		default:
			if e, ok := projectfiles.At(relative, projectfiles.Plugin, projectfiles.Client, projectfiles.Home); ok && e.Powers != 0 {
				return true
			}
		}
	}
	return false
}

// linked reports whether a file is, or lies in, what [Rules.Linked] has. If an allowed folder is in
// that too, every file in the folder counts: any of them can have a power under the other name.
func (r Rules) linked(name string) bool {
	return slices.ContainsFunc(r.Linked, func(end string) bool { _, in := inFolder(end, name); return in })
}

// inFolder returns the path of a file relative to a folder that it is in, as file systems of macOS
// and Windows compare paths, with slashes.
func inFolder(folder, name string) (relative string, in bool) {
	elements := strings.Split(filepath.ToSlash(name), "/") // thousands, in a path that a command names
	for i, e := range strings.Split(strings.TrimSuffix(filepath.ToSlash(folder), "/"), "/") {
		if i >= len(elements) || asFileSystemsRead(e) != asFileSystemsRead(elements[i]) {
			return "", false
		}
		relative = strings.Join(elements[i+1:], "/")
	}
	return relative, true
}

// BroughtInside returns those of [Rules.Brought] that are in an allowed folder, and for one that
// contains an allowed folder the files and folders by which it starts or grants something; and what
// [Rules.Linked] has in an allowed folder, or the folder itself if it is in that. All are
// absolute; they may not exist. What is in [Rules.State] is not among them: a sandbox hides it.
func (r Rules) BroughtInside() (paths []string) {
	for _, folder := range r.Brought {
		switch {
		case r.State != "" && within(r.State, folder):
		case slices.ContainsFunc(r.Folders.All(), func(allowed string) bool { return within(folder, allowed) }):
			for _, e := range projectfiles.All() {
				if e.In == projectfiles.Plugin && e.Powers != 0 {
					paths = append(paths, e.Below(folder))
				}
			}
		case slices.ContainsFunc(r.Folders.All(), func(allowed string) bool { return within(allowed, folder) }):
			paths = append(paths, folder)
		}
	}
	for _, end := range r.Linked {
		for _, allowed := range r.Folders.All() {
			switch {
			case within(allowed, end):
				paths = append(paths, end)
			case within(end, allowed):
				paths = append(paths, allowed)
			}
		}
	}
	return paths
}

// maxElement is more than the name of a file has, in bytes: file systems allow 255 characters. A
// longer one is no file, and comparing it with all patterns would take long.
const maxElement = 2048

// asFileSystemsRead returns an element of a path as file systems of macOS and Windows compare
// it: without case, characters of no width, a final dot or blank, and the name of a stream.
// Source: CVE-2014-9390, CVE-2019-1352.
func asFileSystemsRead(element string) string {
	if i := strings.IndexByte(element, ':'); i > 0 {
		element = element[:i]
	}
	element = strings.Map(func(c rune) rune {
		if unicode.Is(unicode.Cf, c) {
			return -1
		}
		return c
	}, strings.ToLower(element))
	return strings.TrimRight(element, " .")
}

// beginsAs reports whether the first elements of a path match those of a pattern.
func beginsAs(elements, pattern []string) bool {
	for i, p := range pattern {
		if i >= len(elements) {
			return false
		}
		if same, _ := path.Match(p, elements[i]); !same {
			return false
		}
	}
	return true
}
