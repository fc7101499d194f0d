// Package proctree kills programs together with everything that they started.
//
// A [Tree] is a process that leads a process session (setsid) with, on Linux, every process
// that /proc shows in its session, among its descendants, and in the sessions that those
// have made. Elsewhere it is the leader's process group. A daemon that made its own session
// and lost its parent before it was listed is not found, except in a sandbox, which ends
// with all its processes, and below a keeper.
//
// A keeper ([RunKeeper]) is a second process of this program, the parent of a program that [Start]
// starts ([Kept]). On Linux it adopts daemons, so it finds them. It kills everything when its
// program has ended, and when the program that has started it ends, also by SIGKILL. MCP servers, hooks, the
// programs of users and the shells of models have one. Its cost is its start: 12 ms, and 1.8 MB of
// memory while its program runs (2 cores, 2026-11-23).
package proctree
