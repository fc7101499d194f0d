// Package effectstest has the tricks by which commands try to get past permissions, for the
// tests of package effects and for those that run each trick for real.
//
// A new file adds its list to [Tricks], [Evasions] or [Traps]. [Common] are the commands that are
// run most, and must not need an approval.
package effectstest

import "slices"

// Trick is a command that tries to get past permissions. It runs in the folder /w, or in
// the folder that a test puts in its place.
type Trick struct {
	Command string
	// Source says where the trick is published, or which manual describes it.
	Source string
}

// Evasion is a command that does what a deny rule denies, and tries to get past the rule where
// everything else is allowed (--yolo).
type Evasion struct {
	Rule    string // as the command line writes it
	Command string
	// Source says where the way is published, or which manual describes it.
	Source string
}

// Evasions returns every known way past a deny rule. No pair of rule and command is in it twice.
func Evasions() []Evasion {
	return slices.Concat(runners, codeRunners, deniedFiles, deniedWrites, deniedHosts, deniedByFind, deniedGitPrograms)
}

// Writing returns commands that look like reading and change something. A rule may allow
// them, but they need one.
func Writing() []Trick { return slices.Concat(writing, jqFilters, modules, gitSigned) }

// Reading returns commands that need no rule where reading is allowed.
func Reading() []string { return slices.Clone(reading) }

// Ordinary returns everyday commands, those of [Reading] included, which the rules of a
// trusting user allow.
func Ordinary() []string { return slices.Clone(ordinary) }

// Tricks returns every known trick. No command is in it twice.
func Tricks() []Trick {
	return slices.Concat(statements, expansion, shellstate, redirects, redirectWords, paths, dotdot, words, programs, git, gitSettings,
		sedScripts, awkScripts, optionValues, toolchains, addresses, secrets, variables, findBehindDashes, conflicts, archives,
		Escapes())
}

// Escapes returns the tricks that were written to leave a sandbox. They are among [Tricks].
func Escapes() []Trick {
	return slices.Concat(files, network, processes, kernel, workspace, keeper)
}
