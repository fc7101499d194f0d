// Package tape records the calls of models and answers them from a recording, without a network.
// It stands below the dialects: a [Recorder] is put around every transport that carries requests
// ([model.Options].Around), and a [Player] takes the place of one.
//
// docs/replay.md describes the file, and what a request is compared by.
//
// A recording is a file of JSON lines. To add a field, add it to format.go; a reader ignores fields
// that it does not know. To change the meaning of a field, raise [Version].
package tape
