package plugin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

const (
	// maxManifest bounds a manifest, in bytes.
	maxManifest = 1 << 20
	// maxListed bounds the plugins of one marketplace, and the skills of one plugin.
	maxListed = 1000
	// maxName bounds the name of a plugin or marketplace, in bytes.
	maxName = 100
)

// pluginFiles and marketplaceFiles are the places of a manifest in its folder, in the order of the
// ecosystem's tools. Parts of plugins that have no effect here are among those of [unused].
func pluginFiles() []projectfiles.Entry {
	return slices.DeleteFunc(projectfiles.Of(projectfiles.Plugins, projectfiles.Plugin), hasNoPower)
}

func marketplaceFiles() []projectfiles.Entry {
	return projectfiles.Of(projectfiles.Marketplaces, projectfiles.Market)
}

func hasNoPower(e projectfiles.Entry) bool { return e.Powers == 0 }

// manifest is plugin.json, or the entry of a plugin in marketplace.json.
type manifest struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Version     string          `json:"version"`
	Source      json.RawMessage `json:"source"` // of an entry: "./folder", or an object
	Skills      json.RawMessage `json:"skills"` // further folders of skills: a path, or a list
}

// catalogue is marketplace.json.
type catalogue struct {
	Name    string     `json:"name"`
	Plugins []manifest `json:"plugins"`
}

// errNone is the error of a folder without a manifest.
var errNone = errors.New("it has no manifest")

// readFirst decodes the first of files that a folder has. It returns [errNone] if it has none. A link
// that leads out of the folder is an error: its author could show another file of the user, or send it
// to a model.
func readFirst(fsys vfs.FS, dir string, files []projectfiles.Entry, v any) error {
	for _, e := range files {
		path := e.Below(dir)
		data, err := readFile(fsys, path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if leads, unknown := leadsOut(dir, path); leads || unknown != nil {
			return fmt.Errorf("%s: it is a link that leads out of the folder", e.Path)
		}
		if err == nil {
			err = fault.DecodeObject(data, v)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", e.Path, err)
		}
		return nil
	}
	return errNone
}

func readFile(fsys vfs.FS, path string) ([]byte, error) {
	info, err := fsys.Stat(path) // first: opening a pipe would wait
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a file")
	}
	f, err := fsys.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(io.NewSectionReader(f, 0, maxManifest+1), maxManifest+1))
	if err == nil && len(data) > maxManifest {
		err = fmt.Errorf("it has more than %d bytes", maxManifest)
	}
	return data, err
}

// checkName refuses names that would be ambiguous in "plugin@marketplace", or break a line.
func checkName(name string) error {
	if name == "" || len(name) > maxName {
		return fmt.Errorf("a name has 1 to %d bytes, not %d", maxName, len(name))
	}
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_. ", r) {
			return fmt.Errorf("%q is not a name: letters, digits, spaces and -_. only", name)
		}
	}
	return nil
}

// SkillFolders returns the folders in which the skills of a plugin are: each is a skill's
// folder, or contains one folder per skill. Folders that its manifest names outside of the
// plugin are left out.
func SkillFolders(fsys vfs.FS, dir string) (folders []string) {
	var m manifest
	_ = readFirst(fsys, dir, pluginFiles(), &m) // a plugin needs no manifest
	var named []string
	for _, e := range projectfiles.Of(projectfiles.Skills, projectfiles.Plugin) {
		named = append(named, strings.TrimSuffix(e.Folder(), skillFile))
	}
	var one string
	var many []string
	switch {
	case json.Unmarshal(m.Skills, &one) == nil:
		named = append(named, one)
	case json.Unmarshal(m.Skills, &many) == nil:
		named = append(named, many[:min(len(many), maxListed)]...)
	}
	for _, name := range named {
		local := filepath.Clean(filepath.FromSlash(name))
		if !filepath.IsLocal(local) {
			continue
		}
		folder := filepath.Join(dir, local)
		info, err := fsys.Stat(folder)
		if err != nil || !info.IsDir() || local == "." && !isSkill(fsys, folder) {
			continue
		}
		folders = append(folders, folder)
	}
	return folders
}

// skillFile makes a folder a skill.
const skillFile = "SKILL.md"

func isSkill(fsys vfs.FS, dir string) bool {
	info, err := fsys.Stat(filepath.Join(dir, skillFile))
	return err == nil && info.Mode().IsRegular()
}

// countSkills returns how many skills a plugin has.
func countSkills(fsys vfs.FS, dir string) (n int) {
	for _, folder := range SkillFolders(fsys, dir) {
		if isSkill(fsys, folder) {
			n++
			continue
		}
		entries, err := fsys.ReadDir(folder)
		for _, e := range entries[:min(len(entries), maxListed)] {
			if err == nil && isSkill(fsys, filepath.Join(folder, e.Name())) {
				n++
			}
		}
	}
	return n
}

// unused returns the name of a part of plugins that this program does not use yet by its file, and "" for other files.
func unused(file string) string {
	switch file {
	case ".lsp.json":
		return "language servers"
	case "extensions":
		return "extensions"
	}
	return ""
}

// Unused names the parts of a plugin that have no effect here.
func Unused(fsys vfs.FS, dir string) (parts []string) {
	for _, e := range projectfiles.Of(projectfiles.Plugins, projectfiles.Plugin) {
		if _, err := fsys.Stat(e.Below(dir)); err == nil && unused(e.Path) != "" {
			parts = append(parts, unused(e.Path))
		}
	}
	return parts
}
