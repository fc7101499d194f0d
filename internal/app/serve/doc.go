// Package serve runs Sidestick as a server until its client or a signal ends it.
//
// A server is a list of doors, one for each protocol that it speaks. To add one, implement [Door] with a type that
// serves connections, return its [Opening] beside the others in [Server.Serve], and give it a home: that of the process,
// or one with rules of its own ([wiring.Parts.OpenBeside]). [Open] does the rest: it listens, announces and ends.
package serve
