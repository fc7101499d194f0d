// Package effectstest has the tricks by which commands try to get past permissions, for the
// tests of package effects and for those that run each trick for real.
//
// A file holds the tricks of one kind; a line is a command and its source:
//
//   - statements.go: commands that consist of several
//   - expansion.go: substitutions, expansions and quotes
//   - shellstate.go: assignments, and builtins that change the shell
//   - words.go: patterns, and words whose meaning is not what it looks like
//   - redirects.go: redirections
//   - redirectwords.go: words of redirections that bash and other readers take differently
//   - paths.go: files outside the allowed folders
//   - dotdot.go: .. behind links, and paths that are easily overlooked
//   - programs.go: programs that run others, write files or leak
//   - git.go: git
//   - gitsettings.go: settings of git, and options and names that it takes unexpectedly
//   - sedscripts.go, awkscripts.go, jqfilters.go: scripts in a language of their own
//   - optionvalues.go: options whose values are taken for files or the other way round
//   - findactions.go: expressions of find behind --, and several actions
//   - conflicts.go: options that undo each other, and patterns that become several operands
//   - modules.go: go commands that fetch modules; archives on other machines and options among the matches of a pattern
//   - gitfiles.go: signatures that git checks; subcommands of git as programs, and gawk on the network
//   - toolchains.go: compilers, build tools and interpreters
//   - addresses.go: addresses and files of curl and wget
//   - secrets.go: the environment and the command lines of other programs
//   - variables.go: variables of the command, loops, tests of bash, braces
//   - files.go: reading and changing files outside, by many programs
//   - network.go: sending data out, and reaching servers
//   - processes.go: other processes, and processes that stay
//   - kernel.go: namespaces, devices and system calls; what runs later from the folders that may
//     be written; the process that keeps a sandbox
//   - writing.go: [Writing], commands that look like reading and change something
//   - runners.go: [Evasions], programs that run a denied one
//   - traps.go: [Traps], commands that leave something behind which acts at a later step of the user's:
//     trapsgit.go by git, trapsnames.go by files with certain names, trapstools.go what the file tools write
//   - deny.go: [Evasions], commands that open a denied file or a denied host
//
// A new file adds its list to [Tricks], [Evasions] or [Traps]. ordinary.go has the commands that must not need
// an approval. common.go has [Common], the commands that are run most: commonfiles.go and commontools.go
// those that read, commonwork.go the others.
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
