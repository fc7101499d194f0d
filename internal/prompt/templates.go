package prompt

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/projectfiles"
)

// Template is a file with a prompt that users send as a slash command, /Name. Package
// session lists and sends them; templatetext.go makes the text.
type Template struct {
	Name, Description string
	Hint              string // what the user writes after the name; "" if the file does not say
	Path              string
	within            string              // a folder that the file must be in after links are resolved; "" for any
	counts            projectfiles.Counts // the content that is sent has to count; nil: any
	// claude marks a file in the form of Claude Code. Commands in its text run only if the content counts by
	// programs; nil: it does if counts says so.
	claude   bool
	programs projectfiles.Counts
}

// TemplateSearch says where templates are looked for. Paths are absolute and clean; an empty
// one is not searched.
type TemplateSearch struct {
	Disk Disk
	// Root is the folder of a project, Home the folder of the user's configuration.
	Root, Home string
	// Plugins are the folders of plugins.
	Plugins []string
	// Counts says which files of the project the user has agreed to; others are left out. nil: all count.
	Counts projectfiles.Counts
}

// Limits on the search for templates.
const (
	maxTemplates = 200      // in all
	maxTemplate  = 64 << 10 // bytes of a file
	maxExpanded  = 4 << 20  // bytes of what the user wrote, in all its places
)

// TemplateFolders returns the folders of a project that contain templates.
func TemplateFolders(project string) []string {
	return projectfiles.Paths(projectfiles.Prompts, projectfiles.Root, project)
}

// FindTemplates reads the front matter of templates: NAME.prompt.md in .github/prompts of the
// project and in Home/prompts, NAME.md in .claude/commands of the project and in commands of
// plugins. Of two with the same name the first is used. The warnings are about files that are
// left out.
func FindTemplates(s TemplateSearch) (list []Template, warnings []string) {
	f := findingTemplates{disk: s.Disk}
	if s.Root != "" {
		f.counts = s.Counts
		f.place(projectfiles.Root, s.Root, s.Root)
		f.counts = nil
	}
	f.programs = s.Counts
	if s.Home != "" {
		f.place(projectfiles.Home, s.Home, "")
	}
	for _, dir := range s.Plugins {
		f.place(projectfiles.Plugin, dir, dir)
	}
	return f.list, f.warnings
}

// place reads the templates in a folder of that place.
func (f *findingTemplates) place(in projectfiles.Place, folder, within string) {
	for _, e := range projectfiles.Of(projectfiles.Prompts, in) {
		f.claude = e.Ending() == ".md"
		f.folder(e.Below(folder), e.Ending(), within, nil)
	}
}

type findingTemplates struct {
	disk     Disk
	counts   projectfiles.Counts // of the folder that is read
	programs projectfiles.Counts
	claude   bool
	fronts   fronts
	list     []Template
	warnings []string
}

func (f *findingTemplates) warn(path, format string, args ...any) {
	f.warnings = append(f.warnings, path+": "+fmt.Sprintf(format, args...))
}

// maxSubfolders bounds how deep the folders of commands are that are searched.
const maxSubfolders = 4

// folder reads the templates in a folder. below are the folders on the way to it from the place of templates: those of
// Claude Code may be in such ones.
func (f *findingTemplates) folder(dir, ending, within string, below []string) {
	for _, e := range f.disk.entries(dir) {
		path := filepath.Join(dir, e.Name())
		if f.claude && e.IsDir() && len(below) < maxSubfolders && !strings.HasPrefix(e.Name(), ".") {
			f.folder(path, ending, within, append(slices.Clip(below), e.Name()))
			continue
		}
		name, ok := strings.CutSuffix(e.Name(), ending)
		if !ok || strings.HasPrefix(name, ".") || name == "README" {
			continue
		}
		if len(f.list) >= maxTemplates {
			f.warn(path, "left out with all that follow: there are more than %d prompts", maxTemplates)
			return
		}
		c, refused, err := f.disk.readCounted(path, within, maxTemplate, f.counts)
		if err == nil && refused != nil {
			f.warn(path, "not used: %v", refused)
			continue
		}
		if err != nil {
			f.warn(path, "%s", reason(err))
			continue
		}
		f.add(Template{Name: name, Path: path, within: within, counts: f.counts, claude: f.claude, programs: f.programs}, c.text, below)
	}
}

// add adds a template. One in a subfolder whose name is taken is FOLDER:NAME.
func (f *findingTemplates) add(t Template, text string, below []string) {
	front, _ := split(text)
	table, err := f.fronts.fields(front)
	if isRefused(err) {
		f.warn(t.Path, "left out: front matter: %v", err)
		return
	}
	if err != nil {
		f.warn(t.Path, "front matter: %v", err)
	}
	taken := func(name string) int {
		return slices.IndexFunc(f.list, func(other Template) bool { return strings.EqualFold(other.Name, name) })
	}
	if len(below) > 0 && taken(t.Name) >= 0 {
		t.Name = strings.Join(below, ":") + ":" + t.Name
	}
	if given, _ := table["name"].(string); isName(oneLine(given, maxName)) {
		t.Name = oneLine(given, maxName)
	}
	if !isName(t.Name) {
		f.warn(t.Path, "%q is not a name for a command: letters, digits and -_.: only, at most %d", oneLine(t.Name, maxName), maxName)
		return
	}
	if i := taken(t.Name); i >= 0 {
		f.warn(t.Path, "left out: /%s is in %s already", t.Name, f.list[i].Path)
		return
	}
	description, _ := table["description"].(string)
	hint, _ := table["argument-hint"].(string)
	if when, _ := table["when_to_use"].(string); when != "" && t.claude {
		description += " " + when
	}
	if len(below) > 0 {
		description += " (" + strings.Join(below, ":") + ")"
	}
	t.Description, t.Hint = oneLine(description, maxDescription), oneLine(hint, maxName)
	f.list = append(f.list, t)
}
