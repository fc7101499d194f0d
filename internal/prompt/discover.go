package prompt

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// The protocol's names for sources, [Source.Kind] and [Source.Place].
const (
	kindHome   = "home"               // the user's own instructions
	kindAgents = "nested-agents"      // AGENTS.md
	kindModel  = "model"              // files for one program: CLAUDE.md and its rules, GEMINI.md
	kindRepo   = "repo"               // copilot-instructions.md
	kindVscode = "vscode"             // *.instructions.md
	kindChild  = "child-instructions" // in a folder that a client named
	placeUser  = "user"               // below Home and UserHome
	placeRepo  = "repository"         // below Root
	placeCwd   = "working-directory"  // in Cwd, if that is not Root
	agentsName = "AGENTS.md"
)

// ReadInstructions reads instructions, from the general to the specific:
//
//  1. the user's: UserHome/.claude/CLAUDE.md and .claude/rules/**/*.md, Home/copilot-instructions.md,
//     Home/instructions/**/*.instructions.md
//  2. the repository's: .github/copilot-instructions.md and
//     .github/instructions/**/*.instructions.md in Root, then in Cwd
//  3. in every folder from Root to Cwd: AGENTS.md, CLAUDE.md, .claude/CLAUDE.md, .claude/rules/**/*.md,
//     CLAUDE.local.md; then GEMINI.md in Root
//  4. in each of Directories: AGENTS.md, CLAUDE.md, copilot-instructions.md and *.instructions.md,
//     then the last two below its .github
//
// Each file is followed by those that it imports (see imports.go). Of identical texts only the first is
// used. Below Root and Directories links that lead out of them are not followed; below Home and UserHome
// they are.
func ReadInstructions(w InstructionSearch) Instructions {
	d := newDiscovery(w)
	d.found.organization = strings.TrimSpace(strings.ToValidUTF8(w.Organization, "\ufffd"))
	d.found.disabled = map[string]bool{}
	for _, id := range w.Disabled {
		d.found.disabled[id] = true
	}
	if w.Skip {
		return d.found
	}
	d.user()
	if d.Cwd != "" {
		d.repository()
	}
	for _, dir := range w.Directories {
		d.directory(dir)
	}
	if d.dropped > 0 {
		d.warn("%d more instruction files were left out: %d are read at most", d.dropped, maxSources)
	}
	d.found.read = d.read
	return d.found
}

func newDiscovery(w InstructionSearch) *discovery {
	d := &discovery{InstructionSearch: w, seen: map[string]bool{}, read: map[string]bool{}}
	if d.Root == "" || !inside(d.Root, d.Cwd) {
		d.Root = d.Cwd
	}
	return d
}

type discovery struct {
	InstructionSearch
	seen    map[string]bool // texts read so far
	read    map[string]bool // paths read so far, with their links resolved
	fronts  fronts
	looked  int // names looked at so far
	dropped int
	found   Instructions
}

func (d *discovery) warn(format string, args ...any) {
	d.found.Warnings = append(d.found.Warnings, fmt.Sprintf(format, args...))
}

func (d *discovery) user() {
	for _, t := range UserInstructions(d.Home, d.UserHome) {
		d.target(t, where{ofFile: kindHome, ofFolder: kindHome, place: placeUser})
	}
}

func (d *discovery) repository() {
	for _, dir := range slices.Compact([]string{d.Root, d.Cwd}) {
		for _, t := range targets(projectfiles.Ends, dir) {
			d.target(t, where{within: d.Root, ofFile: kindRepo, ofFolder: kindVscode, place: d.place(dir)})
		}
	}
	for _, dir := range projectfiles.Ancestors(d.Root, d.Cwd) {
		for _, t := range targets(projectfiles.Way, dir) {
			d.target(t, d.onTheWay(t, dir))
		}
	}
	for _, t := range targets(projectfiles.Root, d.Root) {
		d.target(t, where{within: d.Root, ofFile: kindModel, ofFolder: kindModel, place: placeRepo})
	}
}

// onTheWay is where the instructions of one folder of the project are.
func (d *discovery) onTheWay(t Target, dir string) where {
	w := where{within: d.Root, ofFile: kindModel, ofFolder: kindModel, place: d.place(dir), base: dir}
	if filepath.Base(t.Path) == agentsName {
		w.ofFile = kindAgents
	}
	return w
}

// where says in which folder a file has to be once its links are followed ("" for any), of which kinds files and
// folders are, and where they are. Patterns of a file are relative to base; "" is Root.
type where struct{ within, ofFile, ofFolder, place, base string }

func (d *discovery) place(dir string) string {
	if dir == d.Root {
		return placeRepo
	}
	return placeCwd
}

// target reads the instructions of a file or a folder.
func (d *discovery) target(t Target, w where) {
	if t.Folder {
		w.ofFile = w.ofFolder
		d.folder(t, t.Path, w, 0)
	} else {
		d.file(t.Path, w)
	}
}

func (d *discovery) directory(dir string) {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(d.Cwd, dir)
	}
	dir = filepath.Clean(dir)
	if !d.Disk.exists(dir) {
		d.warn("instruction directory %s: not found", dir)
		return
	}
	place := placeUser
	if inside(d.Root, dir) {
		place = placeRepo
	}
	d.named(dir, place)
}

// named reads the instructions in a folder that a client or the user names.
func (d *discovery) named(dir, place string) {
	for _, t := range targets(projectfiles.Client, dir) {
		w := where{within: dir, ofFile: kindRepo, ofFolder: kindChild, place: place}
		switch name := filepath.Base(t.Path); {
		case t.Path == dir: // *.instructions.md, and none of the folders below
			w.ofFile = kindChild
			d.flat(t, dir, w)
			continue
		case name == agentsName:
			w.ofFile = kindAgents
		case !t.Folder && filepath.Dir(t.Path) == dir && name == "CLAUDE.md":
			w.ofFile = kindModel
		}
		d.target(t, w)
	}
}

// flat reads the files of one folder that a target stands for.
func (d *discovery) flat(t Target, dir string, w where) (deeper []fs.DirEntry) {
	for _, e := range d.Disk.entries(dir) {
		if d.looked++; d.looked > maxEntries {
			if d.looked == maxEntries+1 {
				d.warn("%s: more than %d names, the rest was not looked at", dir, maxEntries)
			}
			return nil
		}
		if strings.HasSuffix(e.Name(), t.ending) && !e.IsDir() {
			d.file(filepath.Join(dir, e.Name()), w)
		} else if e.IsDir() {
			deeper = append(deeper, e)
		}
	}
	return deeper
}

// folder reads the files of a folder and those below it that a target stands for. Links to
// folders are not followed.
func (d *discovery) folder(t Target, dir string, w where, depth int) {
	if depth >= maxDepth {
		d.warn("%s: too deep to be searched", dir)
		return
	}
	for _, e := range d.flat(t, dir, w) {
		d.folder(t, filepath.Join(dir, e.Name()), w, depth+1)
	}
}

// above returns the folder of the project that counts for the owner of its files, "" if they may have
// any: those of the user and of folders that a client names.
func (d *discovery) above(within string) string {
	if within == d.Root && d.Cwd != d.Root {
		return d.Root
	}
	return ""
}

// file reads one file, and what it imports. One whose front matter is refused is not used: which files it
// applies to is not known.
func (d *discovery) file(name string, w where) {
	c, err := d.Disk.readText(name, w.within, maxSource)
	if errors.Is(err, fs.ErrNotExist) || d.isStrange(name, w.within) {
		return
	}
	if err != nil {
		d.warn("instructions %s: %s", name, reason(err))
		return
	}
	s, err := d.source(name, w, c)
	if err != nil {
		d.warn("instructions %s: left out: front matter: %v", name, err)
		return
	}
	d.read[d.Disk.resolve(name)] = true
	if !d.onlyImports(s, w) && d.add(s) {
		d.imports(s, w, 1)
	}
}

// isStrange reports whether a file of the project is not used because of its owner.
func (d *discovery) isStrange(name, within string) bool {
	above := d.above(within)
	if above == "" || !vfs.Strange(d.Disk.FS, d.Cwd, above, name) {
		return false
	}
	d.found.Strange = append(d.found.Strange, name)
	return true
}

// add adds a source, unless it is empty, there is one with the same text, or there are too many.
func (d *discovery) add(s Source) bool {
	if strings.TrimSpace(s.Body) == "" || d.seen[s.Body] {
		return false
	}
	d.seen[s.Body] = true
	if len(d.found.Sources) >= maxSources {
		d.dropped++
		return false
	}
	d.found.Sources = append(d.found.Sources, s)
	return true
}

func (d *discovery) source(name string, w where, c contents) (Source, error) {
	s := Source{Path: name, Name: name, Kind: w.ofFile, Place: w.place, Content: c.text, Cut: c.cut, base: cmp.Or(w.base, d.Root)}
	if rel, err := filepath.Rel(d.Root, name); err == nil && inside(d.Root, name) {
		s.Name = filepath.ToSlash(rel)
	}
	s.ID = s.Kind + ":" + s.Name
	front, body := split(c.text)
	s.Body = strings.TrimSpace(body)
	table, err := d.fronts.fields(front)
	if isRefused(err) {
		return s, err
	}
	if err != nil {
		d.warn("instructions %s: front matter: %v", name, err)
	}
	s.Description, _ = table["description"].(string)
	globs := slices.Concat(list(table["applyTo"], commas), list(table["paths"], commas))
	if !slices.ContainsFunc(globs, everything) {
		s.ApplyTo = globs
	}
	for _, glob := range s.ApplyTo {
		if !isPattern(glob) {
			d.warn("instructions %s: the pattern %s cannot be compared with files, so its text is only named", name, oneLine(glob, maxName))
		}
	}
	return s, nil
}

// everything reports whether a glob matches every file.
func everything(glob string) bool {
	return path.Clean(glob) == "**" || glob == "**/*" || glob == "*"
}
