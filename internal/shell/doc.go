// Package shell runs commands for a model: in shells that keep their state, at a
// terminal, or detached from the session. Package shell/effects analyses a command
// before it runs; this package never looks at what a command means.
//
// [Shells] are the shells of one session. They cost nothing until the first command, and
// own every process that they start. A [Command] has one of three modes:
//
//   - [Sync] runs in a persistent bash. Directory, variables and functions stay from one
//     command to the next; options of set and redirections by exec do not. Standard
//     input is empty. Run returns when the command has ended or [Command.Wait] is over;
//     a command that is still running keeps its shell, and the next one gets a new shell
//     with the same directory and environment.
//   - [Async] runs at a terminal of its own (a PTY), so interactive programs work;
//     [Shells.Write] types into it.
//   - [Detached] runs in a process session of its own with its output in a file, and
//     [Shells.Close] does not end it.
//
// A command runs outside of any sandbox or in one of package sandbox ([Command.Sandbox]). Each
// policy has shells of its own, and only the directory passes between them.
//
// [RunScript] runs one program of the user's, such as a hook, outside of any session's
// shells, and [Start] one that the user watches and ends.
//
// # How the end of a command is detected
//
// A persistent bash reads a script from its standard input, two lines per command: eval of
// the quoted text, with empty input and with the output pipe, then a report on a separate
// pipe. An error that makes bash give up a line, such as that of $((a[/])), does not skip the report. The
// report pipe is closed inside the eval, and nothing in the output is interpreted. The eval is not wrapped
// in a function or loop: return and break do what they do in bash -c. After the report, everything that
// the command wrote is read from the output pipe before the command counts as ended.
//
// A command can make its shell unable to report, as by set -n or a function named command. A shell that reads
// further without a report is past the command; its input is closed then, so it ends, and its end is that of
// the command. See idle_linux.go. On other systems than Linux such a command runs until it is stopped.
//
// A shell that ends itself (exit, set -e, exec) ends the command with its exit status,
// and a new process is started for the next one: a trap on EXIT leaves the directory and
// environment in a file.
//
// # Which processes are killed
//
// Each process that is started here leads a process session, and is killed with everything
// that it started, as package proctree finds it. That happens when a call is canceled, at
// [Shells.Stop] and [Shells.Close], and when the shell itself ends, so a command that was
// left in the background ends with its shell. Use [Detached] to start a daemon on purpose. In a sandbox where
// commands may write to .git, everything ends with each command ([Command.Sandbox]).
//
// # Output
//
// Standard output and standard error are one stream, in the order of writing. A model
// reads the result of [Clean]: valid UTF-8 without escape sequences. The first and the
// last 512 KiB of a command's output are kept in memory. Of longer output the first
// 10 MiB are in a file, and the text says how much is missing and where the file is.
//
// Only Linux, macOS and other Unix systems have shells; elsewhere Run returns
// [fault.Unavailable].
package shell
