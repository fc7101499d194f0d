package projectfiles

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Disk is what [Present] needs of a file system.
type Disk interface {
	ReadDir(name string) ([]fs.DirEntry, error)
	Stat(name string) (fs.FileInfo, error)
}

// Found is a file of the table that a folder has.
type Found struct {
	Entry
	// File is its path, relative to the folder and with slashes.
	File string
}

// maxPresent bounds what Present returns for one entry; a project has a handful.
const maxPresent = 100

// Present returns the files with a power that a folder has as a project, in the order of the
// table. Only the folder itself is looked at, and not those below it that could be working
// directories. more reports that an entry has more than 100 files, of which 100 are returned.
func Present(disk Disk, folder string) (found []Found, more bool) {
	for _, e := range table {
		if e.Powers == 0 || e.Trust != Folder || !slices.Contains(inProject, e.In) {
			continue
		}
		files := present(disk, folder, "", strings.Split(e.Path, "/"))
		if len(files) > maxPresent {
			files, more = files[:maxPresent], true
		}
		for _, file := range files {
			found = append(found, Found{e, file})
		}
	}
	return found, more
}

// present returns the paths that match a pattern below at.
func present(disk Disk, folder, at string, pattern []string) (files []string) {
	if len(pattern) == 0 {
		return []string{at}
	}
	if pattern[0] != "**" && !isPattern(pattern[0]) {
		next := path.Join(at, pattern[0])
		if _, err := disk.Stat(filepath.Join(folder, filepath.FromSlash(next))); err != nil {
			return nil
		}
		return present(disk, folder, next, pattern[1:])
	}
	if pattern[0] == "**" {
		files = present(disk, folder, at, pattern[1:])
	}
	entries, err := disk.ReadDir(filepath.Join(folder, filepath.FromSlash(at)))
	if err != nil {
		return files
	}
	for _, e := range entries {
		if len(files) > maxPresent {
			break
		}
		next := path.Join(at, e.Name())
		switch same, err := path.Match(pattern[0], e.Name()); {
		case !same || err != nil || strings.HasPrefix(e.Name(), "."):
		case pattern[0] != "**":
			files = append(files, present(disk, folder, next, pattern[1:])...)
		case e.IsDir() && strings.Count(at, "/") < mostDeep:
			files = append(files, present(disk, folder, next, pattern)...)
		}
	}
	return files
}
