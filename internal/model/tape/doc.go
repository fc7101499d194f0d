// Package tape records the calls of models and answers them from a recording, without a network.
// It stands below the dialects: a [Recorder] is put around every transport that carries requests
// ([model.Options].Around), and a [Player] takes the place of one.
//
// docs/replay.md describes the file, and what a request is compared by.
//
//   - format.go: the lines of a recording
//   - recorder.go, headers.go, answer.go: writing them; which headers are kept; the body of an answer
//     that is being recorded
//   - load.go: reading them, and what is refused
//   - player.go: finding the recorded answer to a request, and giving it
//   - normal.go: the form in which requests are compared
//   - diff.go: how a request differs from the recorded one that is most like it
//   - calls.go: the results of tools and the decisions on permissions
//
// A recording is a file of JSON lines. To add a field, add it to format.go; a reader ignores fields
// that it does not know. To change the meaning of a field, raise [Version].
package tape
