// Package effects says what a shell command would do, without running it: which
// programs it would run, which files and addresses it names, and whether all of that
// can be known. [Of] turns the text of a command into a [permit.Command], which the
// rules of package permit then allow or deny.
//
// # What counts as clear
//
// The text is parsed as bash by mvdan.cc/sh. A command is clear if its text, and
// the files and git settings that are on the disk now, say which programs run, with which
// arguments, and which files and addresses they get. Everything else makes it unclear, and [permit.Command.Unclear] holds the reason: variables that the command has not
// set itself, the output of another command anywhere but in what is printed, functions,
// programs that run other programs, code on the command line of an interpreter, options that
// name a program, and characters that cannot be seen.
//
// What costs too much to judge is unclear, too: everything that a judgement produces is taken
// from one budget, before it is allocated. New code that loops over what a command holds, or copies
// it, calls spend.
//
// Nothing relies on a list of dangerous things alone: a program counts as read-only only
// if readonlytable.go lists it together with every option that it was given.
//
// Programs inside an unclear part (in a substitution, behind sudo, in sh -c) are reported
// as far as they can be found, so that a deny rule finds them.
//
// Tests: package effectstest lists every known trick with its source; add new ones there.
// TestBashAgrees compares random lines with what bash does with them (bashlines_test.go
// writes them, testdata/record.bash runs them), and TestSettingsAreReadAsGitReadsThem does
// the same for settings and git. Both take a seed and a number for a long run. FuzzCost and
// TestCosts look for lines that cost more than they may; costly_test.go has those that did.
package effects
