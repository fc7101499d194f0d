package effects

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

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
	up := lastUp(text)
	for i := range len(text) - 1 {
		if strings.IndexByte("=:@,<;\"", text[i]) >= 0 && (len(all) < 16 || up > i || leadsOut(text[i+1:])) {
			all = append(all, text[i+1:])
		}
	}
	return all
}

// leavesFolder reports whether a path may lead out of the current folder by its text alone.
func leavesFolder(text string) bool {
	return lastUp(text) >= 0 || leadsOut(text)
}

// leadsOut reports whether a path leaves the current folder with its first element.
func leadsOut(text string) bool {
	rest, up := strings.CutPrefix(text, "..")
	return strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~") || up && (rest == "" || rest[0] == '/')
}

// lastUp returns the index of the last element ".." of a path behind a slash, -1 if there is none.
func lastUp(text string) int {
	if strings.HasSuffix(text, "/..") {
		return len(text) - len("..")
	}
	if i := strings.LastIndex(text, "/../"); i >= 0 {
		return i + 1
	}
	return -1
}

func (f *findings) operands(words []word) {
	for _, w := range words {
		f.operand(w.text)
	}
}

// operand notes what an argument of a program may name: a file, an address, or both. In
// doubt it is a file: even a word without a slash counts if a link of that name leads
// elsewhere.
func (f *findings) operand(text string) {
	if i := strings.Index(text, "://"); i >= 0 {
		f.url(text, i)
		return
	}
	f.spend(len(text), 1+len(text)/16)
	for _, candidate := range candidates(text) {
		f.spend(perItem, 1+len(candidate)/64)
		f.path(candidate)
	}
}

// path notes an argument that may be a file or folder.
func (f *findings) path(text string) {
	certain := strings.ContainsAny(text, "/.")
	if strings.ContainsAny(text, " \t\n") { // it may be a sentence; a path within the folders needs no notice
		certain = leavesFolder(text)
	}
	f.file(text, certain)
}

// file notes a file or folder. certain means that the text is known to be one; otherwise
// it may be an ordinary word.
func (f *findings) file(text string, certain bool) {
	if text == "" || text == "-" || strings.ContainsRune(text, 0) {
		return
	}
	if text == "~" || strings.HasPrefix(text, "~/") {
		f.addPath("", f.home+text[1:], true) // it was quoted, so the program gets a ~; some programs expand it
	}
	for i, dir := range f.dirs {
		if !filepath.IsAbs(text) {
			f.addPath(dir, text, certain)
		} else if i == 0 {
			f.addPath("", text, certain)
		}
	}
}

// addPath notes a path, which begins in dir. Symbolic links are followed before any ".."
// is removed, as the operating system does it. A path that may be an ordinary word counts
// only if it leads to another file than that of its name.
func (f *findings) addPath(dir, text string, certain bool) {
	name := text
	if dir != "" {
		name = dir + string(filepath.Separator) + text
	}
	reals := f.where(name)
	clean := filepath.Clean(name)
	if len(reals) == 0 {
		f.unclear("it is not known where the path " + clean + " leads")
		reals = []string{clean}
	}
	for _, real := range reals {
		switch p := (permit.Path{Name: clean, Real: real}); {
		case !certain && slices.ContainsFunc(f.where(dir), func(base string) bool { return real == filepath.Join(base, text) }):
			f.maybe(p)
		case slices.Contains(f.command.Paths, p):
		case len(f.command.Paths) >= maxPaths:
			f.unclear("it names too many files")
		default:
			f.keep(p.Name, p.Real)
			f.command.Paths = append(f.command.Paths, p)
		}
	}
}

// maybe notes the path that an ordinary word would be, for deny rules.
func (f *findings) maybe(p permit.Path) {
	switch {
	case slices.Contains(f.command.Words, p):
	case len(f.command.Words) >= maxPaths:
		f.unclear("it has too many words")
	default:
		f.keep(p.Name, p.Real)
		f.command.Words = append(f.command.Words, p)
	}
}

// url notes an address; at is the index of :// in the text.
func (f *findings) url(text string, at int) {
	begin := strings.LastIndexAny(text[:at], "=@,\"' ") + 1
	address := text[begin:]
	if strings.EqualFold(text[begin:at], "file") {
		f.fileAddress(text[at+1:])
		return
	}
	if len(f.command.URLs) >= maxPaths {
		f.unclear("it names too many addresses")
		return
	}
	if !slices.Contains(f.command.URLs, address) {
		f.keep(address)
		f.command.URLs = append(f.command.URLs, address)
	}
}

// schemelessAddress notes an address without a scheme as an http one. curl reads one to three
// slashes after the scheme alike.
func (f *findings) schemelessAddress(address string) {
	scheme, rest, _ := strings.Cut(address, ":")
	switch slashed := strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, `\`); {
	case slashed && strings.HasSuffix(strings.ToLower(scheme), "file"):
		f.fileAddress(rest)
	case strings.Contains(address, "://"):
		return // every argument is searched for these
	case slashed && strings.Trim(scheme, "./") == scheme:
		f.url(address, len(scheme))
	default:
		address = "http://" + address
		f.url(address, strings.Index(address, "://"))
	}
}

// fileAddress notes the file that a file: address names; rest is what follows its colon.
// Programs ignore the host in it, and decode %xx; curl takes one to three slashes.
func (f *findings) fileAddress(rest string) {
	encoded := strings.TrimLeft(rest, `/\`)
	if host, after, ok := strings.Cut(strings.TrimPrefix(rest, "//"), "/"); ok && strings.HasPrefix(rest, "//") && host != "" {
		encoded = after
	}
	file, err := url.PathUnescape(encoded)
	if err != nil {
		f.unclear("a file address cannot be read")
	}
	f.path("/" + file)
}

// chdir follows a cd. The folder before it stays possible, because the cd may fail or
// happen in another process. If the way has a "..", the cd of bash removes it together
// with the element before it, and the operating system follows links first: both folders
// are possible.
func (f *findings) chdir(to string) {
	for _, dir := range slices.Clone(f.dirs) {
		next := to
		if !filepath.IsAbs(next) {
			next = dir + string(filepath.Separator) + to
		}
		f.addPath("", next, true)
		f.addPath("", filepath.Clean(next), true)
		f.addDir(filepath.Clean(next))
		if strings.Contains(to, "..") {
			for _, real := range f.where(next) {
				if !slices.Equal(f.where(filepath.Clean(next)), []string{real}) {
					f.addDir(real)
				}
			}
		}
	}
}

// addDir notes a folder in which the shell may be.
func (f *findings) addDir(dir string) {
	switch {
	case slices.Contains(f.dirs, dir):
	case len(f.dirs) >= maxDirs:
		f.unclear("it goes through too many folders")
	default:
		f.keep(dir)
		f.dirs = append(f.dirs, dir)
		f.moved = true
	}
}

// folders returns everything among arguments that may be a folder.
func (f *findings) folders(args []word) []permit.Path {
	var all []permit.Path
	for _, w := range args {
		f.spend(len(w.text), 1+len(w.text)/16)
		for _, name := range candidates(w.text) {
			all = append(all, f.places(name)...)
		}
	}
	return all
}

// here returns the folders that the program may run in.
func (f *findings) here() []permit.Path { return f.places(".") }

// places returns the paths that a name may stand for, one for each folder that the shell may
// be in.
func (f *findings) places(name string) []permit.Path {
	var all []permit.Path
	for _, dir := range f.dirs {
		full := name
		if !filepath.IsAbs(full) {
			full = dir + string(filepath.Separator) + name
		}
		reals := f.where(full)
		if len(reals) == 0 {
			reals = []string{filepath.Clean(full)}
		}
		for _, real := range reals {
			if p := (permit.Path{Name: filepath.Clean(full), Real: real}); !slices.Contains(all, p) {
				f.keep(p.Name, p.Real)
				all = append(all, p)
			}
		}
	}
	return all
}

// where returns what resolve does for a path, and asks it only once for each.
func (f *findings) where(path string) []string {
	f.spend(perVar+4*len(path), 2+len(f.command.Paths)/16)
	all, seen := f.real[path]
	if !seen {
		if f.real == nil {
			f.real = map[string][]string{}
		}
		all = f.resolve(path)
		f.real[path] = all
	}
	return all
}
