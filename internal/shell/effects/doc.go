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
// # Where things are
//
// Reading the text:
//
//   - effects.go: [Judge], [Of], their bounds, and the reader that walks through a command;
//     findings.go: what it has found so far
//   - budget.go: what judging a command may cost, and what counts it
//   - statements.go: pipelines, lists, loops and the other statements of bash
//   - redirects.go: redirections to and from files
//   - expansion.go: what one word becomes after quotes, variables and patterns
//   - patterns.go: what the matches of a pattern may change
//   - braces.go: {a,b} and {1..3}
//   - variables.go: the values of variables, where they hold, and harmless settings such as CI=1
//   - bashtest.go: [[ … ]]
//
// Judging a program by its name and arguments:
//
//   - programs.go: the name that rules use, wrappers such as timeout, risky options
//   - programtable.go: the programs that run, fetch or follow something
//   - launchers.go: programs that run another one or code (sudo, xargs, sh -c, find)
//   - runners.go: where in its arguments a program names the one that it runs
//   - launchertable.go: the programs that do, with their options; add one here
//   - reach.go: which files a program may open that the command does not name
//   - git.go: git subcommands and options that run programs
//   - gitprograms.go: git-push and others as programs; git commands that check signatures
//   - findxargs.go: find -exec and xargs with a program that only reads
//   - golist.go: templates and operands of go list and go doc
//   - hosts.go: names that tar and rsync take for those of other machines
//   - fetchers.go: curl, wget and the addresses and files that they are given
//   - sedscript.go, awkscript.go, jqscript.go: whether a script only edits text
//   - scripts.go: where a regular expression ends, and formats of printf
//   - readonly.go: matching arguments against the list of read-only uses
//   - readonlytable.go: that list; add a read-only program or option here
//
// Files and shell around the command:
//
//   - paths.go: files, folders and addresses among the arguments, and where cd leads
//   - realpath.go: [RealPath] and [RealPaths], where a path leads once symbolic links are
//     followed, and where the matches of a pattern lead
//   - shellstate.go: how a command changes its shell for later commands, and
//     [IndependentOfShell], whether such a change would matter to a command
//
// The repository that a command runs git in:
//
//   - gitconfig.go: [CheckGitSettings], and the programs that run git by themselves
//   - gitrepository.go: finding a repository, its worktrees, hooks and submodules
//   - gitsettings.go: reading a file of settings exactly as git does
//   - gitallowed.go: the settings that are harmless; add one here
//   - gitindex.go: the submodules that a repository's index names
//
// Tests: package effectstest lists every known trick with its source; add new ones there.
// TestBashAgrees compares random lines with what bash does with them (bashlines_test.go
// writes them, testdata/record.bash runs them), and TestSettingsAreReadAsGitReadsThem does
// the same for settings and git. Both take a seed and a number for a long run. FuzzCost and
// TestCosts look for lines that cost more than they may; costly_test.go has those that did.
package effects
