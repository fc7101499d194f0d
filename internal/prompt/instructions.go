package prompt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// InstructionSearch says where instructions are searched. Paths are absolute and clean, but
// those of Directories.
type InstructionSearch struct {
	Disk Disk
	// Cwd is the session's working directory, Root the repository that contains it. If Root
	// is empty, Cwd is the root.
	Cwd, Root string
	// Home is the folder of the user's configuration ($COPILOT_HOME), UserHome the user's own, which has files of
	// Claude Code; empty: none.
	Home, UserHome string
	// Directories are searched as well; relative paths are relative to Cwd.
	Directories []string
	// Organization holds instructions that are not from a file.
	Organization string
	// Skip reads no files; Organization is still used.
	Skip bool
	// Disabled lists the sources that a client has turned off, by [Source.ID].
	Disabled []string
	// Withheld says why a rule is against a file that a text imports, "" if none is. Optional.
	Withheld func(path string) (why string)
}

// Instructions holds the instructions found for a session.
type Instructions struct {
	// Sources are in the order in which the model reads them.
	Sources []Source
	// Warnings say, for the user, which files were not read and why.
	Warnings []string
	// Strange are the files above the working directory that were not read because of their owner;
	// see [vfs.Strange].
	Strange []string

	organization string
	disabled     map[string]bool
	read         map[string]bool // the paths of all files that were read, with their links resolved
}

// Source is one file of instructions.
type Source struct {
	// ID stays the same as long as the file is at the same path.
	ID string
	// Path is absolute. Name is the path to show: relative to the root if the file is below
	// it.
	Path, Name string
	// Kind and Place are the protocol's names for the type of the source and its location.
	Kind, Place string
	// Content is the file, at most [maxSource] bytes. Body is its part for the model,
	// without front matter. Cut is true if the file is longer.
	Content, Body string
	Cut           bool
	// ApplyTo has the globs of the files that the source is for. Empty: all files.
	ApplyTo []string
	// Description is the description in the front matter.
	Description string
	// ImportedBy is the file that the text of another one names as an import; "" for other files. Such a file is
	// off with the one that imports it, and is for the same files.
	ImportedBy string

	importer string // its ID
	base     string // the folder that ApplyTo is relative to
}

// Limits on instructions. A token is about four bytes, so all of them together are at most a
// quarter of a small context window.
const (
	maxSource  = 32 << 10  // bytes of one file
	maxSources = 64        // files
	maxText    = 128 << 10 // bytes of all bodies
	maxDepth   = 6         // folders below .github/instructions
	maxEntries = 1000      // names looked at below it
)

// Text returns the section for the system message, "" if there are no instructions. Sources
// for some paths only are named with their globs; their text is delivered on demand, see
// [Instructions.For].
func (in Instructions) Text() string {
	var always, listed []string
	left := maxText
	for _, s := range in.Sources {
		switch {
		case in.off(s):
		case len(s.ApplyTo) > 0:
			line := fmt.Sprintf("- %s: %s", oneLine(strings.Join(s.ApplyTo, ", "), maxLine), s.Path)
			if s.Description != "" {
				line += " (" + oneLine(s.Description, maxLine) + ")"
			}
			listed = append(listed, line)
		case len(s.Body) > left:
			always = append(always, s.block("[Left out: there are too many instructions. Read "+s.Path+" before you begin.]"))
		default:
			left -= len(s.Body)
			always = append(always, s.block(s.text()))
		}
	}
	if in.organization != "" {
		organization := Source{Name: "the organization", Body: in.organization}
		always = append([]string{organization.block(organization.Body)}, always...)
	}
	if len(listed) > 0 {
		always = append(always, "These are for files that match. You get their text once you have read or changed such a file; read them before you create one:\n"+strings.Join(listed, "\n"))
	}
	if len(always) == 0 {
		return ""
	}
	const opening = "Follow these instructions of the people you work for. Where two disagree, the later one counts."
	return "<custom_instructions>\n" + join(append([]string{opening}, always...)...) + "\n</custom_instructions>"
}

func (s Source) block(text string) string {
	by := ""
	if s.ImportedBy != "" {
		by = ` imported-by="` + attribute(s.ImportedBy) + `"`
	}
	return `<instructions from="` + attribute(s.Name) + `"` + by + ">\n" + text + "\n</instructions>"
}

// off reports whether a client has turned a source off, or the file that imports it.
func (in Instructions) off(s Source) bool {
	return in.disabled[s.ID] || s.importer != "" && in.disabled[s.importer]
}

func (s Source) text() string {
	if s.Cut {
		return s.Body + "\n[Cut after " + bytesShown(maxSource) + ". Read the rest of " + s.Path + " if you need it.]"
	}
	return s.Body
}

// Wire returns the sources as session.instructions.getSources reports them; never nil.
func (in Instructions) Wire() []wire.InstructionSource {
	out := []wire.InstructionSource{}
	for _, s := range in.Sources {
		w := wire.InstructionSource{
			ID: s.ID, Label: s.Name, SourcePath: s.Name, Content: s.Content, ApplyTo: s.ApplyTo,
			Type: wire.InstructionKind(s.Kind), Location: wire.InstructionPlace(s.Place),
		}
		if s.Description != "" {
			w.Description = &s.Description
		}
		out = append(out, w)
	}
	return out
}

// Target is a file or a folder for instructions.
type Target struct {
	Path   string
	Folder bool // a folder of such files

	ending string // of the names of the files
}

// ProjectInstructions returns the targets in the root of a project, the one for new
// instructions first. They may not exist.
func ProjectInstructions(project string) []Target {
	return slices.Concat(targets(projectfiles.Ends, project), targets(projectfiles.Way, project), targets(projectfiles.Root, project))
}

// UserInstructions returns the targets in the user's folders in the order in which they are read. They may not
// exist. An empty folder has none.
func UserInstructions(home, userHome string) (list []Target) {
	if userHome != "" {
		list = targets(projectfiles.UserHome, userHome)
	}
	if home != "" {
		list = append(list, targets(projectfiles.Home, home)...)
	}
	return list
}

func targets(in projectfiles.Place, folder string) (list []Target) {
	for _, e := range projectfiles.Of(projectfiles.Instructions, in) {
		list = append(list, Target{Path: e.Below(folder), Folder: strings.Contains(e.Path, "*"), ending: e.Ending()})
	}
	return list
}
