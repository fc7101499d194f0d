package effects

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// operand notes what an argument of a program may name: a file, an address, or both. In
// doubt it is a file: even a word without a slash counts if a link of that name leads
// elsewhere.
func (r *reader) operand(text string) {
	if i := strings.Index(text, "://"); i >= 0 {
		r.url(text, i)
		return
	}
	for _, candidate := range candidates(text) {
		r.path(candidate)
	}
}

// candidates returns the parts of an argument that may be a path. Of --file=/etc/x,
// -f/etc/x, @/etc/x and host:/etc/x that is the end as well as the whole.
func candidates(text string) []string {
	all := []string{text}
	if strings.HasPrefix(text, "-") {
		all = nil
		if !strings.HasPrefix(text, "--") && len(text) > 2 {
			all = append(all, text[2:])
		}
		for i := 1; i < len(text); i++ { // the value of an option that follows without =, as in -I/usr
			if text[i] == '/' || text[i] == '~' || strings.HasPrefix(text[i:], "../") || text[i:] == ".." {
				all = append(all, text[i:])
				break
			}
		}
	}
	for i, c := range text {
		if strings.ContainsRune("=:@,", c) && i+1 < len(text) && (len(all) < 16 || leavesFolder(text[i+1:])) {
			all = append(all, text[i+1:])
		}
	}
	return all
}

// path notes an argument that may be a file or folder.
func (r *reader) path(text string) {
	certain := strings.ContainsAny(text, "/.")
	if strings.ContainsAny(text, " \t\n") { // it may be a sentence; a path within the folders needs no notice
		certain = leavesFolder(text)
	}
	r.file(text, certain)
}

// leavesFolder reports whether a path may lead out of the current folder by its text alone.
func leavesFolder(text string) bool {
	return strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~") || slices.Contains(strings.Split(text, "/"), "..")
}

// file notes a file or folder. certain means that the text is known to be one; otherwise
// it may be an ordinary word.
func (r *reader) file(text string, certain bool) {
	if text == "" || text == "-" || strings.ContainsRune(text, 0) {
		return
	}
	if text == "~" || strings.HasPrefix(text, "~/") {
		r.addPath("", r.home+text[1:], true) // it was quoted, so the program gets a ~; some programs expand it
	}
	for i, dir := range r.dirs {
		if !filepath.IsAbs(text) {
			r.addPath(dir, text, certain)
		} else if i == 0 {
			r.addPath("", text, certain)
		}
	}
}

// addPath notes a path, which begins in dir. Symbolic links are followed before any ".."
// is removed, as the operating system does it. A path that may be an ordinary word counts
// only if it leads to another file than that of its name.
func (r *reader) addPath(dir, text string, certain bool) {
	name := text
	if dir != "" {
		name = dir + string(filepath.Separator) + text
	}
	reals := r.resolve(name)
	clean := filepath.Clean(name)
	if len(reals) == 0 {
		r.unclear("it is not known where the path " + clean + " leads")
		reals = []string{clean}
	}
	for _, real := range reals {
		switch p := (permit.Path{Name: clean, Real: real}); {
		case !certain && slices.ContainsFunc(r.resolve(dir), func(base string) bool { return real == filepath.Join(base, text) }):
			r.maybe(p)
		case slices.Contains(r.command.Paths, p):
		case len(r.command.Paths) >= maxPaths:
			r.unclear("it names too many files")
		default:
			r.command.Paths = append(r.command.Paths, p)
		}
	}
}

// maybe notes the path that an ordinary word would be, for deny rules.
func (r *reader) maybe(p permit.Path) {
	switch {
	case slices.Contains(r.command.Words, p):
	case len(r.command.Words) >= maxPaths:
		r.unclear("it has too many words")
	default:
		r.command.Words = append(r.command.Words, p)
	}
}

// url notes an address; at is the index of :// in the text.
func (r *reader) url(text string, at int) {
	begin := strings.LastIndexAny(text[:at], "=@,\"' ") + 1
	address := text[begin:]
	if strings.EqualFold(text[begin:at], "file") {
		r.path(text[at+len("://"):])
		return
	}
	if len(r.command.URLs) >= maxPaths {
		r.unclear("it names too many addresses")
		return
	}
	if !slices.Contains(r.command.URLs, address) {
		r.command.URLs = append(r.command.URLs, address)
	}
}

// chdir follows a cd. The folder before it stays possible, because the cd may fail or
// happen in another process. If the way has a "..", the cd of bash removes it together
// with the element before it, and the operating system follows links first: both folders
// are possible.
func (r *reader) chdir(to string) {
	for _, dir := range slices.Clone(r.dirs) {
		next := to
		if !filepath.IsAbs(next) {
			next = dir + string(filepath.Separator) + to
		}
		r.addPath("", next, true)
		r.addPath("", filepath.Clean(next), true)
		r.addDir(filepath.Clean(next))
		if strings.Contains(to, "..") {
			for _, real := range r.resolve(next) {
				if !slices.Equal(r.resolve(filepath.Clean(next)), []string{real}) {
					r.addDir(real)
				}
			}
		}
	}
}

// addDir notes a folder in which the shell may be.
func (r *reader) addDir(dir string) {
	switch {
	case slices.Contains(r.dirs, dir):
	case len(r.dirs) >= maxDirs:
		r.unclear("it goes through too many folders")
	default:
		r.dirs = append(r.dirs, dir)
		r.moved = true
	}
}
