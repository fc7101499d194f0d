// Package serve runs Sidestick as a server until its client or a signal ends it.
//
// A server is a list of doors, one for each protocol that it speaks. To add one, implement [Door] with a type that
// serves connections, add its [Opening] to the lists in servePrograms and serveChats (server.go), and refuse flags that
// contradict each other in check (chats.go). Its flags are in Command, and it bounds its connections itself
// (programFiles and ownFiles divide the files of the process). Its sessions are those of the home of the process, or of one beside it on the
// same folder, whose sessions may do other things ([wiring.Parts.OpenBeside]). A client attaches to a session with Create or
// Resume of package registry; the session calls it by the session.Peer that the door gives with that. [Open] does the
// rest: it listens, announces and ends.
package serve
