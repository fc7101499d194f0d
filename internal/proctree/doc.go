// Package proctree kills programs together with everything that they started.
//
// A [Tree] is a process that leads a process session (setsid) with, on Linux, every process
// that /proc shows in its session, among its descendants, and in the sessions that those
// have made. Elsewhere it is the leader's process group. A daemon that made its own session
// and lost its parent before it was listed is not found, except in a sandbox, which ends
// with all its processes.
//
//   - kill_unix.go: [Tree] and [ExitCode]
//   - descendants_linux.go, descendants_other.go: finding the processes of a tree
package proctree
