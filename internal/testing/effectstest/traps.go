package effectstest

import (
	"slices"
	"strings"
)

// Trap is a command that leaves something behind which acts at a later step of the user's: when
// they enter a folder, open it, commit, or start sidestick again. It runs in the folder /w, as a [Trick] does.
type Trap struct {
	Command string
	// Source says where the trick is published, or which manual describes it.
	Source string
	// Next is a second command of the same session, "" for none. Before is what the user has done before.
	Next, Before string
	// Files are written with the file tools instead of a command.
	Files []File
	// Held says why the trap does no harm even without a sandbox, "" where it does harm there. Such a trap is no control.
	Held string
}

// File is a file that a tool writes. Path is relative to /w.
type File struct{ Path, Text string }

// Steps returns the commands of the trap, in order.
func (t Trap) Steps() (all []string) {
	for _, command := range []string{t.Command, t.Next} {
		if command != "" {
			all = append(all, command)
		}
	}
	return all
}

// Name is the text by which the trap is named.
func (t Trap) Name() string {
	if len(t.Files) == 0 {
		return strings.Join(t.Steps(), " THEN ")
	}
	var names []string
	for _, f := range t.Files {
		names = append(names, f.Path)
	}
	return "file tools write " + strings.Join(names, ", ")
}

// Traps returns the traps. No name is in it twice.
func Traps() []Trap { return slices.Concat(trapsGit, trapsNames, trapsTools) }
