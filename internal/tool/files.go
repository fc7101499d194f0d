package tool

import (
	"path/filepath"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/quarantine"
)

// Files returns the tools that read and change files: view, create, edit, in this
// order. guard looks at what they have written; nil: nobody does.
func Files(w Workspace, guard *quarantine.Guard) []Tool {
	shared := &files{w: w, guard: guard}
	return []Tool{view{w}, create{shared}, edit{shared}}
}

// files is shared by the writing tools of one session.
type files struct {
	w     Workspace
	guard *quarantine.Guard
	// mu lets one write happen at a time: the model may ask for several changes of one
	// file at once, and none may be lost.
	mu sync.Mutex
}

// looked completes the result of a tool that has written a file: what the file completes to something that acts
// later is moved aside.
func (f *files) looked(res Result, real, tool string) Result {
	if f.guard == nil {
		return res
	}
	return withAside(res, f.guard.Written(real, []string{f.w.Cwd(), above(real, unfinishedGit)}, tool))
}

// unfinishedGit is how many folders above a file outside of the working directory are looked at: a file in
// objects, or in refs/heads, can complete a repository.
const unfinishedGit = 4

// above returns the folder that is n levels above a path.
func above(path string, n int) string {
	for range n {
		path = filepath.Dir(path)
	}
	return path
}
