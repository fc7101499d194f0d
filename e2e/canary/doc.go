// Package canary runs hostile commands for real, in each kind of sandbox, and looks at what
// they have done: canaries, not verdicts. It contains only tests.
//
// A world has a home folder with secrets, a project, files outside of it, servers that must not
// be reached, and a process that must not be touched. Each line of package effectstest runs in it
// through package shell, as the runtime would run it. Then the detectors look for a difference:
// files, secrets in the output, connections, processes. A batch of lines that has changed
// something is run again, line by line. exceptions_test.go lists what a sandbox does not promise,
// with the reason.
//
// The traps of package effectstest act later, and so does what other lines leave behind. For them
// the program itself runs, with a scripted model that calls the line, as it is written or so that
// its text says nothing. Then the user is played outside of the sandbox: git in each folder, a
// commit, login shells, the program again, npm. Programs that may not be installed, such as
// direnv and editors, are stood for by what they would load. Without a sandbox each trap must do
// harm.
//
// The controls run without a sandbox and must be detected; otherwise the other results mean
// nothing. ordinary_test.go compares everyday commands inside and outside.
//
// The tests start this test binary again for each user: as root with namespaces around
// everything, so that an escape does little harm to the machine, and as an ordinary user. The
// controls always have namespaces around them. Without the build tag canary they run a sample of
// the lines.
package canary
