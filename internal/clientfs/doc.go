// Package clientfs keeps sessions in the storage of a client, which the client offers with
// sessionFs.setProvider and this program uses through the methods sessionFs.* of the client.
//
// A [Storage] is what one client offers. It implements [eventlog.Store] for the logs of sessions
// and [workspace.Store] for their other files; [Storage.Database] is their databases. Nothing of
// a session is cached: what is read comes from the client, and what is written has been accepted
// by the client before it is reported as stored. Each call of the client has a bound, and ends
// with the client's connection.
//
//	events.jsonl           the log, a record on each line
//	events.jsonl.damaged   lines that were no records, from the repairs of the log
//	payloads/              events that are too long for the log, in pieces
//
// # What is different from files on this machine
//
// The methods have no locks. So a claim excludes only the other streams of this Storage: if two
// programs use the storage of a client at the same time, both can append to a log. Each of them
// finds the records of the other with its next claim. Nor do they tell that a file has grown, so
// a log cannot be watched or followed.
//
// The methods do not say when a file is on disk: the client decides how durable a record is.
package clientfs
