// Package show prints events for a person or a program to read.
//
//   - answer.go: a run as it streams: the answer to stdout, everything else to stderr.
//   - printer.go: [Printer], what prints the runs of a session.
//   - rows.go: the lines beside the answer: tool calls, results, warnings.
//   - json.go: every event as JSON (`run --json`); script.go: a run for programs (`run --output-format`).
//   - transcript.go: a stored session as a conversation (`sessions show`).
package show
