package prompt

import (
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
	kindModel  = "model"              // CLAUDE.md
	kindRepo   = "repo"               // copilot-instructions.md
	kindVscode = "vscode"             // *.instructions.md
	kindChild  = "child-instructions" // in a folder that a client named
	placeUser  = "user"               // below Home
	placeRepo  = "repository"         // below Root
	placeCwd   = "working-directory"  // in Cwd, if that is not Root
	pattern    = ".instructions.md"   // end of the names of files with globs
	agentsName = "AGENTS.md"
	claudeName = "CLAUDE.md"
)

// ReadInstructions reads instructions, from the general to the specific:
//
//  1. the user's: Home/copilot-instructions.md, Home/instructions/**/*.instructions.md
//  2. the repository's: .github/copilot-instructions.md and
//     .github/instructions/**/*.instructions.md in Root, then in Cwd
//  3. AGENTS.md in every folder from Root to Cwd or, if a folder has none, its CLAUDE.md
//  4. in each of Directories: AGENTS.md, copilot-instructions.md and *.instructions.md,
//     then the same below its .github
//
// Of identical texts only the first is used. Below Root and Directories links that lead out
// of them are not followed; below Home they are.
func ReadInstructions(w InstructionSearch) Instructions {
	d := discovery{InstructionSearch: w, seen: map[string]bool{}}
	d.found.organization = strings.TrimSpace(strings.ToValidUTF8(w.Organization, "\ufffd"))
	d.found.disabled = map[string]bool{}
	for _, id := range w.Disabled {
		d.found.disabled[id] = true
	}
	if w.Skip {
		return d.found
	}
	if d.Root == "" || !inside(d.Root, d.Cwd) {
		d.Root = d.Cwd
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
	return d.found
}

type discovery struct {
	InstructionSearch
	seen    map[string]bool // texts read so far
	fronts  fronts
	looked  int // names looked at so far
	dropped int
	found   Instructions
}

func (d *discovery) warn(format string, args ...any) {
	d.found.Warnings = append(d.found.Warnings, fmt.Sprintf(format, args...))
}

func (d *discovery) user() {
	if d.Home == "" {
		return
	}
	d.targets(UserInstructions(d.Home), "", kindHome, kindHome, placeUser)
}

func (d *discovery) repository() {
	folders := []string{d.Root, d.Cwd}
	for _, dir := range slices.Compact(folders) {
		d.targets(targets(projectfiles.Ends, dir), d.Root, kindRepo, kindVscode, d.place(dir))
	}
	for _, dir := range projectfiles.Ancestors(d.Root, d.Cwd) {
		d.first(targets(projectfiles.Way, dir), d.Root, d.place(dir))
	}
}

func (d *discovery) place(dir string) string {
	if dir == d.Root {
		return placeRepo
	}
	return placeCwd
}

// targets reads instructions: of files with one kind, of folders with another.
func (d *discovery) targets(list []Target, within, ofFile, ofFolder, place string) {
	for _, t := range list {
		if t.Folder {
			d.folder(t.Path, within, ofFolder, place, 0)
		} else {
			d.file(t.Path, within, ofFile, place)
		}
	}
}

// first reads the first of files that a folder has: AGENTS.md or, without one, CLAUDE.md.
func (d *discovery) first(list []Target, within, place string) {
	for _, t := range list {
		kind := kindModel
		if filepath.Base(t.Path) == agentsName {
			kind = kindAgents
		}
		if d.file(t.Path, within, kind, place) {
			return
		}
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

// named reads the instructions in a folder that a client names.
func (d *discovery) named(dir, place string) {
	var agents, others []Target
	for _, t := range targets(projectfiles.Client, dir) {
		if name := filepath.Base(t.Path); !t.Folder && (name == agentsName || name == claudeName) {
			agents = append(agents, t)
		} else {
			others = append(others, t)
		}
	}
	d.first(agents, dir, place)
	for _, t := range others {
		if t.Path == dir { // *.instructions.md, and none of the folders below
			d.flat(dir, dir, kindChild, place)
		} else {
			d.targets([]Target{t}, dir, kindRepo, kindChild, place)
		}
	}
}

// flat reads the *.instructions.md of one folder.
func (d *discovery) flat(dir, within, kind, place string) (deeper []fs.DirEntry) {
	for _, e := range d.Disk.entries(dir) {
		if d.looked++; d.looked > maxEntries {
			if d.looked == maxEntries+1 {
				d.warn("%s: more than %d names, the rest was not looked at", dir, maxEntries)
			}
			return nil
		}
		if strings.HasSuffix(e.Name(), pattern) {
			d.file(filepath.Join(dir, e.Name()), within, kind, place)
		} else if e.IsDir() {
			deeper = append(deeper, e)
		}
	}
	return deeper
}

// folder reads the *.instructions.md of a folder and those below it. Links to
// folders are not followed.
func (d *discovery) folder(dir, within, kind, place string, depth int) {
	if depth >= maxDepth {
		d.warn("%s: too deep to be searched", dir)
		return
	}
	for _, e := range d.flat(dir, within, kind, place) {
		d.folder(filepath.Join(dir, e.Name()), within, kind, place, depth+1)
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

// file reads one file and reports whether it exists. One whose front matter is refused is not
// used: which files it applies to is not known.
func (d *discovery) file(name, within, kind, place string) bool {
	c, err := d.Disk.readText(name, within, maxSource)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if above := d.above(within); above != "" && vfs.Strange(d.Disk.FS, d.Cwd, above, name) {
		d.found.Strange = append(d.found.Strange, name)
		return false
	}
	if err != nil {
		d.warn("instructions %s: %s", name, reason(err))
		return true
	}
	s, err := d.source(name, kind, place, c)
	if err != nil {
		d.warn("instructions %s: left out: front matter: %v", name, err)
		return true
	}
	if strings.TrimSpace(s.Body) == "" || d.seen[s.Body] {
		return true
	}
	d.seen[s.Body] = true
	if len(d.found.Sources) >= maxSources {
		d.dropped++
		return true
	}
	d.found.Sources = append(d.found.Sources, s)
	return true
}

func (d *discovery) source(name, kind, place string, c contents) (Source, error) {
	s := Source{Path: name, Name: name, Kind: kind, Place: place, Content: c.text, Cut: c.cut}
	if rel, err := filepath.Rel(d.Root, name); err == nil && inside(d.Root, name) {
		s.Name = filepath.ToSlash(rel)
	}
	s.ID = kind + ":" + s.Name
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
	if globs := list(table["applyTo"], commas); !slices.ContainsFunc(globs, everything) {
		s.ApplyTo = globs
	}
	return s, nil
}

// everything reports whether a glob matches every file.
func everything(glob string) bool {
	return path.Clean(glob) == "**" || glob == "**/*" || glob == "*"
}
