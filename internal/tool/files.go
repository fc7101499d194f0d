package tool

import "sync"

// Files returns the tools that look at files and change them: view, create,
// edit, in this order.
func Files(w Workspace) []Tool {
	shared := &files{w: w}
	return []Tool{view{w}, create{shared}, edit{shared}}
}

// files is what the writing tools of one session share.
type files struct {
	w Workspace
	// mu lets one write at a time through: the model may ask for several changes of
	// one file at once, and none may be lost.
	mu sync.Mutex
}
