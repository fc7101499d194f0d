package permit

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Folders are the folders that a session may work in. All are absolute, with symbolic
// links resolved as in [Path.Real]. The zero value contains nothing.
type Folders struct {
	// Primary is the folder that the session works in. Relative paths in rules begin
	// there.
	Primary string
	// Unchosen means that only a log has named Primary: relative paths in rules that deny
	// begin there, but it is not an allowed folder.
	Unchosen bool
	// More are further folders.
	More []string
	// Anywhere allows every folder.
	Anywhere bool
}

// Join returns the folders of both, with the primary folder of f unless that is empty.
func (f Folders) Join(other Folders) Folders {
	f.More = append(slices.Clip(f.More), other.More...)
	if f.Primary == "" {
		f.Primary, f.Unchosen = other.Primary, other.Unchosen
	}
	f.Anywhere = f.Anywhere || other.Anywhere
	return f
}

// All returns all allowed folders once, the primary one first.
func (f Folders) All() []string {
	var all []string
	for i, dir := range append([]string{f.Primary}, f.More...) {
		if dir != "" && (i > 0 || !f.Unchosen) && !slices.Contains(all, dir) {
			all = append(all, dir)
		}
	}
	return all
}

// Contains reports whether a resolved path is one of the folders or below one. A path
// that could not be resolved, "", is in none.
func (f Folders) Contains(real string) bool {
	if real == "" || !filepath.IsAbs(real) {
		return false
	}
	if f.Anywhere {
		return true
	}
	return slices.ContainsFunc(f.All(), func(dir string) bool { return within(dir, real) })
}

// within reports whether a clean path is dir or below it.
func within(dir, name string) bool {
	dir, name = filepath.ToSlash(filepath.Clean(dir)), filepath.ToSlash(filepath.Clean(name))
	rest, below := strings.CutPrefix(name, strings.TrimSuffix(dir, "/"))
	return below && (rest == "" || rest[0] == '/')
}

// barred reports whether the primary folder is no allowed folder, although commands run there.
func (f Folders) barred() bool { return f.Unchosen && !f.Contains(f.Primary) }

// matches reports whether a pattern of a rule covers a resolved path.
func (f Folders) matches(pattern, real string) bool {
	if real == "" || f.Primary == "" && !strings.HasPrefix(pattern, "/") {
		return false
	}
	if real = filepath.ToSlash(real); real == "/" {
		real = "" // its elements are those of the pattern "/"
	}
	if !strings.HasPrefix(pattern, "/") && !filepath.IsAbs(pattern) {
		primary := strings.TrimSuffix(filepath.ToSlash(f.Primary), "/")
		rest, below := strings.CutPrefix(real, primary)
		if !below || rest != "" && rest[0] != '/' {
			return false
		}
		real = strings.TrimPrefix(rest, "/")
		if pattern == "." {
			return real == ""
		}
	}
	return glob(strings.Split(strings.TrimSuffix(pattern, "/"), "/"), real)
}

// glob matches a path, element by element. ** stands for any number of elements. A command can
// name a path of thousands of elements, so only the last ** is tried again.
func glob(pattern []string, name string) bool {
	star, again, at := -1, 0, 0
	for i := 0; i < len(pattern) || at <= len(name); {
		e, next := elementAt(name, at)
		switch {
		case i < len(pattern) && pattern[i] == "**":
			if i == len(pattern)-1 {
				return true
			}
			star, again = i, at
			i++
		case i < len(pattern) && at <= len(name) && element(pattern[i], e):
			at = next
			i++
		case star >= 0 && again <= len(name):
			_, again = elementAt(name, again)
			i, at = star+1, again
		default:
			return false
		}
	}
	return true
}

// elementAt returns the element of a path that begins at an index, and the index of the next one,
// which is past the end of the path if there is none.
func elementAt(name string, at int) (e string, next int) {
	if at > len(name) {
		return "", at
	}
	if n := strings.IndexByte(name[at:], '/'); n >= 0 {
		return name[at : at+n], at + n + 1
	}
	return name[at:], len(name) + 1
}

// element matches one element of a path: * is any text, ? one character, and \ quotes the
// next one. A [ is the character itself.
func element(pattern, name string) bool {
	if !strings.ContainsAny(pattern, `\*?[`) {
		return pattern == name
	}
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\' && i+1 < len(pattern):
			b.WriteByte(c)
			i++
		case c == '[':
			b.WriteByte('\\')
		}
		b.WriteByte(pattern[i])
	}
	ok, err := path.Match(b.String(), name)
	return err == nil && ok
}

// Literal returns a pattern that matches only this path.
func Literal(name string) string {
	return quoteSpecial(filepath.ToSlash(name), `\*?`+special)
}
