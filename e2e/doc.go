// Package e2e tests the program from outside, as its users do: the built binary, with the
// official Copilot SDK for Go as its client and a scripted model as its provider. It
// contains only tests.
//
// Recorded conversations with real models are replayed, and docs/recordings.md counts them. Where
// the SDK's test of a recording did more than send prompts, a *program* does the same with the
// binary. The others are the exception: they are replayed against a server in the test process,
// where thousands of turns take a second. The recording has the prompts and the results of the
// calls; a *scene* has the rest of the setup; a *holder* plays the client. Built-in tools really
// run, in a temporary folder. A recording with only tools of clients runs in a testing/synctest
// bubble.
//
// One table of scenes is held in every dialect of package model, against fakes that check
// requests as the vendors do; it is the table of docs/models.md. The module e2e/sdks shows that
// the fakes speak as the vendors do.
//
// The tests need no keys, no ripgrep, no node, and no network other than this machine's.
package e2e
