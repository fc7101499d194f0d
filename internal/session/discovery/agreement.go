package discovery

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/jsonc"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
)

// Bounds of what the user agrees to by trusting a folder: the size of a file of the table, and of a program
// or script that one of them names, in bytes; the files of one folder; and the lines that say what one file does, and
// their bytes in one file and in all. What is beyond has no power: nobody could read what he agrees to.
const (
	maxAgreedFile   = projectfiles.MaxFile
	maxAgreedScript = 64 << 20
	mostAgreed      = 1000
	mostPowers      = 1000
	maxPowers       = 64 << 10
	maxAllPowers    = 1 << 20
)

// Agreement is what the user agrees to by trusting a folder as it is now.
type Agreement struct {
	// Files are the files with a power, and the scripts that they name, by their paths relative to the
	// folder, with slashes.
	Files map[string]projectfiles.Agreed
	// Order are the paths in the order of the table of package projectfiles, scripts last.
	Order []string
	// Left says what is left out, and has no power, and why.
	Left []string
}

// Agreement reads what a resolved folder has. It reads every file once; what it says of a file, and the
// digest, are of the same bytes.
func (f *Finder) Agreement(folder string) Agreement {
	a := agreeing{finder: f, folder: folder}
	a.Files = map[string]projectfiles.Agreed{}
	found, more := projectfiles.Below(f.opts.FS, folder)
	if more != "" {
		a.Left = append(a.Left, "files beyond these: "+more+"; trust a folder in it by itself")
	}
	for _, one := range found {
		a.file(one)
	}
	for _, path := range a.scripts {
		a.script(path)
	}
	return a.Agreement
}

type agreeing struct {
	Agreement
	finder  *Finder
	folder  string
	scripts []string
	powers  int // bytes of the lines of all files
}

func (a *agreeing) file(one projectfiles.Found) {
	path := filepath.Join(a.folder, filepath.FromSlash(one.File))
	info, err := a.finder.opts.FS.Stat(path)
	if err != nil || info.IsDir() {
		return // a folder of that name is nothing that is read
	}
	text, err := a.read(path, maxAgreedFile)
	if err != nil {
		a.Left = append(a.Left, one.File+": "+err.Error())
		return
	}
	values := valuesOf(one.File, text)
	if one.Kind == projectfiles.Brought { // the paths of its rules are no scripts
		values = hookValues(one.Entry, text)
	}
	agreed := projectfiles.Agreed{Digest: projectfiles.Digest(text), Kind: fmt.Sprintf("%s: %s", one.Kind, one.Powers)}
	if a.inside(path) {
		agreed.Does = a.does(one, path, text)
	} else { // what is in it may be a secret of the user, who would print it
		agreed.Does = []string{"a link out of the folder; look at the file that it leads to"}
	}
	var named []string
	if one.Powers&projectfiles.Starts != 0 {
		at := projectOf(path, one.Path)
		scripts, unknown := projectfiles.Scripts(a.finder.opts.FS, a.finder.opts.Resolve, a.folder, []string{at}, values...)
		named = scripts
		if len(unknown) > 0 && (one.Kind == projectfiles.Hooks || one.Kind == projectfiles.Brought) {
			agreed.Does = append(agreed.Does, "names files that cannot be known, and that may change later: "+strings.Join(unknown, ", "))
		}
	}
	if !a.shown(one.File, agreed.Does) {
		return
	}
	a.scripts = append(a.scripts, named...)
	a.add(path, agreed)
}

// shown reports whether what a file does can be shown whole.
func (a *agreeing) shown(file string, lines []string) bool {
	size := 0
	for _, line := range lines {
		size += len(line)
	}
	switch {
	case len(lines) > mostPowers || size > maxPowers:
		a.Left = append(a.Left, fmt.Sprintf("%s: it does more than can be shown: more than %d things, or more than %d KiB of text", file, mostPowers, maxPowers>>10))
		return false
	case a.powers+size > maxAllPowers:
		a.Left = append(a.Left, fmt.Sprintf("%s: all files before it and this one do more than can be shown: more than %d KiB of text", file, maxAllPowers>>10))
		return false
	}
	a.powers += size
	return true
}

// inside reports whether a file is in the folder once its links are followed.
func (a *agreeing) inside(path string) bool {
	root, real := a.finder.opts.Resolve(a.folder), a.finder.opts.Resolve(path)
	return root != "" && (permit.Folders{Primary: root}).Contains(real)
}

// projectOf returns the folder that the path of an entry is relative to, of a file that matches it.
func projectOf(path, entry string) string {
	for range strings.Count(entry, "/") + 1 {
		path = filepath.Dir(path)
	}
	return path
}

func (a *agreeing) script(path string) {
	if _, known := a.Files[a.finder.agreedAs(a.folder, path)]; known {
		return
	}
	f, err := a.open(path, maxAgreedScript)
	digest := ""
	if err == nil {
		digest, err = projectfiles.DigestOf(f)
		_ = f.Close() // nothing was written
	}
	if err != nil {
		a.Left = append(a.Left, a.finder.agreedAs(a.folder, path)+": "+err.Error())
		return
	}
	a.add(path, projectfiles.Agreed{Digest: digest, Kind: "a file that one of these names in a command"})
}

func (a *agreeing) add(path string, agreed projectfiles.Agreed) {
	name := a.finder.agreedAs(a.folder, path)
	switch _, known := a.Files[name]; {
	case name == "" || known:
	case len(a.Files) >= mostAgreed:
		a.Left = append(a.Left, fmt.Sprintf("%s: the folder has more than %d such files", name, mostAgreed))
	default:
		a.Files[name] = agreed
		a.Order = append(a.Order, name)
	}
}

// agreedAs is the path of a file relative to a resolved folder, with slashes, as it is kept: the links of the folder
// that it lies in are resolved. "" if it is not in the folder.
func (f *Finder) agreedAs(folder, path string) string {
	at := f.opts.Resolve(filepath.Dir(path))
	rel, err := filepath.Rel(folder, filepath.Join(at, filepath.Base(path)))
	if at == "" || err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// open opens a regular file of at most that many bytes.
func (a *agreeing) open(path string, most int64) (io.ReadCloser, error) {
	info, err := a.finder.opts.FS.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, fmt.Errorf("it is not a file of at most %d MiB", most>>20)
	}
	return a.finder.opts.FS.OpenFile(path, os.O_RDONLY, 0)
}

func (a *agreeing) read(path string, most int64) ([]byte, error) {
	f, err := a.open(path, most)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("it has more than %d MiB", most>>20)
	}
	return text, err
}

// valuesOf returns the texts in a file: the strings of JSON, or all of it.
func valuesOf(name string, text []byte) []string {
	var document any
	if !strings.HasSuffix(name, ".json") && !strings.HasSuffix(name, ".jsonc") || json.Unmarshal(jsonc.Plain(text), &document) != nil {
		return []string{string(text)}
	}
	return projectfiles.Strings(document)
}
