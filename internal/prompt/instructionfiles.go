package prompt

import "path/filepath"

// Target is a file or a folder for instructions.
type Target struct {
	Path   string
	Folder bool // a folder of *.instructions.md
}

// ProjectInstructions returns the targets in the root of a project, the one for new
// instructions first. They may not exist.
func ProjectInstructions(project string) []Target {
	return []Target{
		{Path: filepath.Join(project, ".github", always)},
		{Path: filepath.Join(project, ".github", "instructions"), Folder: true},
		{Path: filepath.Join(project, "AGENTS.md")},
		{Path: filepath.Join(project, "CLAUDE.md")},
	}
}

// UserInstructions returns the targets in the folder of the user's configuration, as
// [ProjectInstructions] does.
func UserInstructions(home string) []Target {
	return []Target{
		{Path: filepath.Join(home, always)},
		{Path: filepath.Join(home, "instructions"), Folder: true},
	}
}
