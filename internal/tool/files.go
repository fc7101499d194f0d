package tool

import "sync"

// Files returns the tools that read and change files: view, create, edit, in this
// order.
func Files(w Workspace) []Tool {
	shared := &files{w: w}
	return []Tool{view{w}, create{shared}, edit{shared}}
}

// files is shared by the writing tools of one session.
type files struct {
	w Workspace
	// mu lets one write happen at a time: the model may ask for several changes of one
	// file at once, and none may be lost.
	mu sync.Mutex
}
