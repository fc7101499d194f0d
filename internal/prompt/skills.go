package prompt

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// SkillSearch says where skills are looked for. Paths are absolute and clean, but
// those of Directories.
type SkillSearch struct {
	Disk Disk
	// Directories are folders that contain one folder per skill, or are a skill's folder;
	// relative paths are relative to Cwd.
	Directories []string
	// Plugins are the same of plugins.
	Plugins []PluginSkills
	// Cwd is the session's working directory, Root the repository that contains it. If Root
	// is empty, Cwd is the root.
	Cwd, Root string
	// Home is the folder of the user's configuration ($COPILOT_HOME), UserHome the user's
	// home folder; empty: none.
	Home, UserHome string
	// Discover also searches the project and UserHome.
	Discover bool
	// Disabled lists the names of skills that must not be used.
	Disabled []string
}

// PluginSkills is a folder with skills of a plugin. Both paths are absolute.
type PluginSkills struct {
	Dir string
	// Plugin is the plugin's own folder. A link that leads out of it is not followed, because
	// somebody else may have written the plugin.
	Plugin string
}

// Limits on the search.
const (
	maxSkills      = 200  // skills in all
	maxName        = 64   // runes; from the convention
	maxDescription = 1024 // runes; from the convention
)

// FindSkills looks for skills: in Directories, then in the project from Cwd up to Root, then
// in the user's folders, then in Plugins. A skill is a folder with a file SKILL.md. Of two skills with the
// same name the first is used. Links out of a project or a plugin are not followed; links in
// folders of skills that a client or the user has named are.
func FindSkills(p SkillSearch) Skills {
	f := finding{SkillSearch: p}
	for _, dir := range p.Directories {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(p.Cwd, dir)
		}
		f.directory(filepath.Clean(dir), "", "custom")
	}
	if p.Discover && p.Cwd != "" {
		f.project()
	}
	if p.Home != "" {
		f.folders(projectfiles.Home, p.Home, "personal-copilot")
	}
	if p.Discover && p.UserHome != "" {
		f.folders(projectfiles.UserHome, p.UserHome, "personal-agents")
	}
	for _, dir := range p.Plugins {
		f.directory(dir.Dir, dir.Plugin, "plugin")
	}
	return f.found
}

// SkillFolders returns the skill folders of a project, the one for new skills first.
func SkillFolders(project string) []string {
	return projectfiles.Paths(projectfiles.Skills, projectfiles.Way, project)
}

// UserSkillFolders returns the folders of skills in the folder of the user's configuration and in
// the user's home folder, as [SkillFolders] does.
func UserSkillFolders(home, userHome string) (ofHome, ofUserHome []string) {
	return projectfiles.Paths(projectfiles.Skills, projectfiles.Home, home), projectfiles.Paths(projectfiles.Skills, projectfiles.UserHome, userHome)
}

type finding struct {
	SkillSearch
	fronts fronts
	found  Skills
	full   bool
}

func (f *finding) warn(path, format string, args ...any) {
	f.found.Warnings = append(f.found.Warnings, path+": "+fmt.Sprintf(format, args...))
}

func (f *finding) directory(dir, within, source string) {
	switch {
	case !f.Disk.exists(dir):
		f.warn(dir, "the skill directory was not found")
	case f.Disk.exists(filepath.Join(dir, "SKILL.md")):
		f.skill(dir, within, source)
	default:
		f.folder(dir, within, source)
	}
}

func (f *finding) project() {
	folders := projectfiles.Ancestors(f.Root, f.Cwd)
	slices.Reverse(folders)
	for i, folder := range folders {
		source := "project"
		if i > 0 && i < len(folders)-1 {
			source = "inherited"
		}
		for _, dir := range SkillFolders(folder) {
			f.folder(dir, folders[len(folders)-1], source)
		}
	}
}

// folders adds the skills of the user in one of the user's folders.
func (f *finding) folders(in projectfiles.Place, folder, source string) {
	for _, dir := range projectfiles.Paths(projectfiles.Skills, in, folder) {
		f.folder(dir, "", source)
	}
}

// folder adds every skill in a folder that contains one folder per skill.
func (f *finding) folder(dir, within, source string) {
	for _, e := range f.Disk.entries(dir) {
		name := filepath.Join(dir, e.Name())
		if f.full {
			return
		}
		if strings.HasPrefix(e.Name(), ".") || !f.Disk.exists(filepath.Join(name, "SKILL.md")) {
			continue
		}
		f.skill(name, within, source)
	}
}

// skill reads the front matter of one skill.
func (f *finding) skill(dir, within, source string) {
	path := filepath.Join(dir, "SKILL.md")
	if len(f.found.List) >= maxSkills {
		if !f.full {
			f.warn(path, "left out with all that follow: there are more than %d skills", maxSkills)
		}
		f.full = true
		return
	}
	if within == f.Root && f.Root != "" && vfs.Strange(f.Disk.FS, f.Cwd, within, path) {
		f.found.Strange = append(f.found.Strange, path)
		return
	}
	c, err := f.Disk.readText(path, within, maxFront+64)
	if err != nil {
		f.found.Errors = append(f.found.Errors, path+": "+reason(err))
		return
	}
	k, err := f.parse(path, c.text)
	if err != nil {
		f.found.Errors = append(f.found.Errors, path+": "+err.Error())
		return
	}
	if other, ok := f.found.Get(k.Name); ok && other.Name == k.Name {
		if f.Disk.resolve(other.Path) != f.Disk.resolve(path) {
			f.warn(path, "left out: the skill %q is in %s already", k.Name, other.Path)
		}
		return
	}
	k.Source, k.within, k.Enabled = source, within, !slices.Contains(f.Disabled, k.Name)
	f.found.List = append(f.found.List, k)
}

// parse returns a skill from the beginning of its file.
func (f *finding) parse(path, text string) (Skill, error) {
	front, body := split(text)
	if front == "" && strings.HasPrefix(text, "---\n") && !strings.HasPrefix(text, "---\n---\n") {
		return Skill{}, errors.New("the front matter does not end, or has more than " + bytesShown(maxFront))
	}
	table, err := f.fronts.fields(front)
	if isRefused(err) {
		return Skill{}, fmt.Errorf("left out: front matter: %w", err)
	}
	if err != nil {
		f.warn(path, "front matter: %v", err)
	}
	k := Skill{Path: path, AllowedTools: list(table["allowed-tools"], words)}
	k.Name, _ = table["name"].(string)
	if k.Name = strings.TrimSpace(k.Name); k.Name == "" {
		k.Name = filepath.Base(filepath.Dir(path))
	}
	if !isName(k.Name) {
		return Skill{}, fmt.Errorf("%q is not a name for a skill: letters, digits and -_.: only, at most %d", oneLine(k.Name, maxName), maxName)
	}
	description, _ := table["description"].(string)
	if strings.TrimSpace(description) == "" {
		f.warn(path, "it has no description, so the model can only guess when to use it")
		description = firstLine(body)
	}
	if when, _ := table["when_to_use"].(string); when != "" {
		description += " " + when
	}
	for _, key := range append(unusedFields(table), "paths") {
		if table[key] != nil {
			f.warn(path, "%s has no effect in this version", key)
		}
	}
	k.Description = oneLine(description, maxDescription)
	k.ArgumentHint, _ = table["argument-hint"].(string)
	k.ArgumentHint = oneLine(k.ArgumentHint, maxLine)
	k.Hidden = truth(table["disable-model-invocation"], false)
	k.Internal = !truth(table["user-invocable"], true)
	if err != nil && unread(front, table, "disable-model-invocation") {
		f.warn(path, "it cannot be read whether the model may use it, so it may not; correct the front matter")
		k.Hidden = true
	}
	if err != nil && unread(front, table, "allowed-tools") {
		f.warn(path, "its allowed-tools cannot be read, and allow nothing; correct the front matter")
	}
	return k, nil
}

// isName rejects names that would break the texts that contain them.
func isName(s string) bool {
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.:", r) {
			return false
		}
	}
	return s != "" && len([]rune(s)) <= maxName && strings.Trim(s, ".") != ""
}

// words splits a list of tools: at commas, or at spaces if it has no commas.
func words(s string) []string {
	if list := commas(s); len(list) > 1 {
		return list
	}
	return cutOutside(s, unicode.IsSpace)
}

func truth(value any, otherwise bool) bool {
	switch value := value.(type) {
	case bool:
		return value
	case int:
		return value != 0
	case string:
		switch strings.ToLower(strings.TrimSpace(value)) {
		case "true", "yes", "on", "1":
			return true
		case "false", "no", "off", "0":
			return false
		}
	}
	return otherwise
}

// firstLine returns the first line of a text that is not a heading.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return line
		}
	}
	return ""
}
