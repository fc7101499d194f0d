// Package replay is `sidestick replay`: it sends the messages of a finished session to another model,
// in a new session, and prints both side by side.
//
// Recordings of model calls (--record and --replay) have nothing to do with it; they are in
// internal/model/tape.
package replay
