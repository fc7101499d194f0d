package projectfiles

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of [Below]. They are above what repositories have: 100,000 entries took 0.2 s here.
const (
	mostBelow   = 1000    // files
	mostEntries = 200_000 // names in all folders that are looked at
	mostDeep    = 64      // folders
)

// Below returns the files with a power whose folder the user has to trust, of a folder and of all folders
// in it: each of them can be a working directory, the root of a repository, or a plugin that a client
// names. It does not look into .git and node_modules, and follows no links to folders but those in the
// places of these files. more says why there may be further files, "" if there are none.
func Below(disk Disk, folder string) (found []Found, more string) {
	b := below{disk: disk, folder: folder, seen: map[string]bool{}}
	b.look("", 0)
	return b.found, b.more
}

type below struct {
	disk    Disk
	folder  string
	entries int
	found   []Found
	seen    map[string]bool
	more    string
}

func (b *below) look(at string, depth int) {
	switch {
	case depth > mostDeep:
		b.more = "the folders are more than 64 levels deep"
		return
	case b.entries > mostEntries:
		b.more = "the folder has more than 200,000 files"
		return
	case len(b.found) >= mostBelow:
		b.more = "the folder has more than 1,000 files with a power"
		return
	}
	entries, err := b.disk.ReadDir(filepath.Join(b.folder, filepath.FromSlash(at)))
	if err != nil {
		return
	}
	b.entries += len(entries)
	b.files(at, entries)
	for _, e := range entries {
		if e.IsDir() && e.Name() != GitFolder && e.Name() != "node_modules" {
			b.look(path.Join(at, e.Name()), depth+1)
		}
	}
}

// files adds the files of one folder.
func (b *below) files(at string, entries []fs.DirEntry) {
	names := map[string]bool{}
	for _, e := range entries {
		names[strings.ToLower(e.Name())] = true
	}
	plugin := at == "" || isPlugin(b.disk, filepath.Join(b.folder, filepath.FromSlash(at)), names)
	for _, e := range table {
		first, _, _ := strings.Cut(strings.ToLower(e.Path), "/")
		if !names[first] && !isPattern(first) || !agreed(e, plugin) {
			continue
		}
		files := present(b.disk, b.folder, at, strings.Split(e.Path, "/"))
		if len(files) > maxPresent {
			b.more = "a kind has more than 100 files in one folder"
		}
		for _, file := range files {
			if !b.seen[file] && len(b.found) < mostBelow {
				b.seen[file] = true
				b.found = append(b.found, Found{e, file})
			} else if !b.seen[file] {
				b.more = "the folder has more than 1,000 files with a power"
			}
		}
	}
}

// agreed reports whether the user agrees to the files of an entry by trusting a folder. Those of a plugin are
// looked for where a plugin is; a skill may be in any folder, because clients and manifests name folders.
func agreed(e Entry, plugin bool) bool {
	switch {
	case e.Powers == 0:
		return false
	case e.In == Plugin && e.Kind == Agents: // their models at other addresses need trust in the folder, too
		return plugin
	case e.Trust != Folder:
		return false
	case e.In == Plugin:
		return plugin || e.Path == "SKILL.md"
	case e.In == Client:
		return !isPattern(strings.Split(e.Path, "/")[0]) // the folder itself comes up as one below
	}
	return slices.Contains(inProject, e.In)
}

// isPlugin reports whether a folder has a manifest of a plugin.
func isPlugin(disk Disk, folder string, names map[string]bool) bool {
	for _, e := range Of(Plugins, Plugin) {
		first, _, _ := strings.Cut(e.Path, "/")
		if e.Powers == 0 || !names[first] {
			continue
		}
		if info, err := disk.Stat(e.Below(folder)); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}
