// Package sandbox runs commands so that the operating system limits what they can read, write
// and connect to, even if package permit has misjudged their text.
//
// A [Host] finds out what works on this machine, by starting a sandbox that tries to get out.
// [Boxes] are the sandboxes of one session, and a [Policy] says what one of them may do:
// the commands that share a policy share a sandbox.
//
// # How a sandbox is made
//
// On Linux a sandbox is made by bwrap, in namespaces of its own: files that are not allowed do
// not exist in it, and there is no network but a loopback address of its own. Inside, this
// program runs once more, as the keeper ([RunKeeper]). It installs a filter of system calls
// (package filter), tries what must be refused, and then starts programs on request, one
// bash for each shell. When it ends, everything in the sandbox ends.
//
// On macOS each program is started by sandbox-exec, with a profile of package seatbelt. That is
// built and unit-tested, and untried on a Mac.
//
// Where bwrap does not start, as in most containers, the keeper confines itself with Landlock
// (package landlock) and a stricter filter. That hides less, so it is used only for commands
// that read. Where neither works, there is no sandbox, and [Support.Why] says why. What the
// system cannot enforce is an error. What a limit keeps from being seen is covered as a whole. Files
// that are made while a command runs are not covered.
//
// A sandbox lives from the first command with its policy to the end of the session, or until 8
// others have been used more recently. The text of its policy ([Policy.Key]) identifies it, so
// the first command after a change of rules gets a new one. The files that a sandbox shows and
// protects are computed once, when it starts. If a file that it covers has been replaced or made since, it
// ends before the next command ([Boxes.Renew]). [Boxes.Clear] ends all processes in a sandbox, so that what a command
// has made in .git can be looked at (package quarantine) when nothing can change it any more.
//
// # What commands see
//
// The allowed folders of the session; programs, libraries and settings of the system without
// its secrets; toolchains on PATH and in the home folder. The home folder itself is another
// one, which is empty at first, and so is /tmp. The environment is a list of names
// ([Policy.Environ]).
//
// Package proxy is the only way to the network, and package attempt what tests try in order to get
// out.
package sandbox
