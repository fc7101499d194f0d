// Package shell runs commands for a model: in shells that keep their state, at a
// terminal, or on their own.
//
// [Shells] are the shells of one session. They cost nothing until the first
// command and own every process that they start. A [Command] has one of three
// modes:
//
//   - [Sync] runs in a persistent bash. Directory, variables and functions stay
//     from one command to the next; options of set and redirections by exec do
//     not. Standard input is empty. Run returns when the command has ended or
//     [Command.Wait] is over; a command that goes on keeps its shell, and the
//     next one gets a new shell with the same directory and environment.
//   - [Async] runs at a terminal of its own (a PTY), so programs that talk to a
//     person work; [Shells.Write] types.
//   - [Detached] runs in a session of its own with its output in a file, and is
//     not ended by [Shells.Close].
//
// # How the end of a command is known
//
// A persistent bash reads a script from its standard input, a line per command:
// eval of the quoted text, with an empty input and the output pipe, then a report
// on a pipe of its own. The report's pipe is closed inside the eval, so no command
// can forge an end, and nothing in the output means anything. No function or loop
// is around the eval: return and break do what they do in bash -c. After the
// report, everything that the command wrote is read from the output pipe before
// the command counts as ended.
//
// A shell that ends itself (exit, set -e, exec) ends the command with its exit
// status, and is started anew for the next one: a trap on EXIT leaves its
// directory and environment in a file.
//
// # What is killed
//
// Each process that is started here leads a session (setsid). To kill it is to
// kill its process group and, on Linux, whatever /proc shows of its session, of its
// descendants and of the sessions that those have made, again until nothing is left.
// That happens when a call is given up, at [Shells.Stop] and [Shells.Close], and
// when the shell itself ends, so what a command left in the background goes with
// its shell. A daemon that has lost its parent in a session of its own before
// anybody looked is not found; [Detached] is how that is asked for.
//
// # Output
//
// Standard output and standard error are one stream, in the order of writing. What
// a model reads is [Clean]: valid UTF-8 without escape sequences. The first and
// the last 512 KiB of a command's output are kept in memory; of a longer one
// 10 MiB are in a file, and the text says what is missing and where it is.
//
// Only Linux, macOS and other Unix systems have shells; elsewhere Run returns
// [fault.Unavailable].
package shell
