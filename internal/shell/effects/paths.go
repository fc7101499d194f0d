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
			if text[i] == '/' || text[i] == '~' || strings.HasPrefix(text[i:], "../") {
				all = append(all, text[i:])
				break
			}
		}
	}
	for i, c := range text {
		if strings.ContainsRune("=:@,", c) && i+1 < len(text) && len(all) < 16 {
			all = append(all, text[i+1:])
		}
	}
	return all
}

// path notes an argument that may be a file or folder.
func (r *reader) path(text string) {
	r.file(text, !strings.ContainsAny(text, " \t\n") && strings.ContainsAny(text, "/."))
}

// file notes a file or folder. certain means that the text is known to be one; otherwise
// it may be an ordinary word.
func (r *reader) file(text string, certain bool) {
	if text == "" || text == "-" || strings.ContainsRune(text, 0) {
		return
	}
	if text == "~" || strings.HasPrefix(text, "~/") {
		text = r.home + text[1:] // it was quoted, so the program gets a ~; some programs expand it
	}
	for i, dir := range r.dirs {
		name := text
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, text)
		} else if i > 0 {
			return
		}
		r.addPath(filepath.Clean(name), certain)
	}
}

// addPath notes an absolute path. One that may be an ordinary word counts only if it
// leads to another folder than its own.
func (r *reader) addPath(name string, certain bool) {
	real := r.resolve(name)
	if real == "" {
		r.unclear("it is not known where the path " + name + " leads")
		real = name
	}
	p := permit.Path{Name: name, Real: real}
	if !certain && real == filepath.Join(r.resolve(filepath.Dir(name)), filepath.Base(name)) {
		r.maybe(p)
		return
	}
	switch {
	case slices.Contains(r.command.Paths, p):
	case len(r.command.Paths) >= maxPaths:
		r.unclear("it names too many files")
	default:
		r.command.Paths = append(r.command.Paths, p)
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
// happen in another process.
func (r *reader) chdir(to string) {
	for _, dir := range slices.Clone(r.dirs) {
		next := to
		if !filepath.IsAbs(next) {
			next = filepath.Join(dir, to)
		}
		next = filepath.Clean(next)
		r.addPath(next, true)
		switch {
		case slices.Contains(r.dirs, next):
		case len(r.dirs) >= maxDirs:
			r.unclear("it goes through too many folders")
		default:
			r.dirs = append(r.dirs, next)
			r.moved = true
		}
	}
}
