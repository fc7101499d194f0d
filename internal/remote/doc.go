// Package remote is a session of a running server, as a user interface uses one: over the JSON-RPC
// protocol, with what package session offers in the same process. It shows nothing.
//
// # To change something
//
// A call of a session: a method of [Session] in operate.go, send.go or permission.go, which gives
// do the name of the method of the protocol, its parameters, and a type of package wire for the
// result. The method itself is made in packages server and session: see the comment of package
// session, "A method that clients call". A server of an earlier version may not have it: lacks
// says so, and the call has to do without. The terminal interface reaches it in
// app/front/attached.go or, from a slash command, in app/front/guest.go.
//
// A question that is asked by an event: questions and ends in asked.go. Forms and permission
// requests are read by the interface itself.
//
// Facts that are known when a session is opened: [Description], and describe and prepare. State that must outlast a lost
// connection is in stream.go (attach), missed.go and open.go (learn).
package remote
