// Package history keeps the messages that the user has typed, with the folder of each, in a file of
// the home. Several processes may use the file at once.
//
// The file has one JSON object a line, oldest first: {"text":"…","folder":"…"}. Files of earlier
// versions have one JSON string a line; their messages have no folder, and belong to all of them.
// A line that is neither costs nothing but itself.
//
// It also keeps what the user has written and not sent, in case the process is killed: [Drafts].
//
// Begin with [History].
package history
