package prompt

import (
	"fmt"
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
	// Home is the folder of the user's configuration ($COPILOT_HOME); empty: none.
	Home string
	// Directories are searched as well; relative paths are relative to Cwd.
	Directories []string
	// Organization holds instructions that are not from a file.
	Organization string
	// Skip reads no files; Organization is still used.
	Skip bool
	// Disabled lists the sources that a client has turned off, by [Source.ID].
	Disabled []string
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
// for some paths only are named with their globs, so that the model reads them when it works
// on such a file.
func (in Instructions) Text() string {
	var always, listed []string
	left := maxText
	for _, s := range in.Sources {
		switch {
		case in.disabled[s.ID]:
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
		always = append(always, "Read these files before you work on files that match:\n"+strings.Join(listed, "\n"))
	}
	if len(always) == 0 {
		return ""
	}
	const opening = "Follow these instructions of the people you work for. Where two disagree, the later one counts."
	return "<custom_instructions>\n" + join(append([]string{opening}, always...)...) + "\n</custom_instructions>"
}

func (s Source) block(text string) string {
	return `<instructions from="` + attribute(s.Name) + "\">\n" + text + "\n</instructions>"
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
	Folder bool // a folder of *.instructions.md
}

// ProjectInstructions returns the targets in the root of a project, the one for new
// instructions first. They may not exist.
func ProjectInstructions(project string) []Target {
	return append(targets(projectfiles.Ends, project), targets(projectfiles.Way, project)...)
}

// UserInstructions returns the targets in the folder of the user's configuration, as
// [ProjectInstructions] does.
func UserInstructions(home string) []Target { return targets(projectfiles.Home, home) }

func targets(in projectfiles.Place, folder string) (list []Target) {
	for _, e := range projectfiles.Of(projectfiles.Instructions, in) {
		list = append(list, Target{Path: e.Below(folder), Folder: strings.Contains(e.Path, "*")})
	}
	return list
}
