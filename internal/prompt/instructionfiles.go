package prompt

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/projectfiles"
)

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
