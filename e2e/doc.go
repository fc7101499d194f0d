// Package e2e tests the program from outside, as its users do: the built binary, with the
// official Copilot SDK for Go as its client and a scripted model as its provider. It
// contains only tests.
//
// recordings_test.go replays recorded conversations with real models; recordingspage_test.go
// counts them for docs/recordings.md. Where the SDK's test of a recording did more than send
// prompts, a *program* does the same with the binary (stage_test.go, and the tables
// programs_*_test.go). The others are the exception: they are replayed
// against a server in the test process, where thousands of turns take a second. The
// recording has the prompts and the results of the calls (recorded_test.go); a *scene* has
// the rest of the setup (scene_test.go, and the tables scenes*_test.go); a *holder* plays
// the client (holder_test.go, replies_test.go). Built-in tools really run, in a temporary
// folder. A recording with only tools of clients runs in a testing/synctest bubble.
//
// dialects_test.go holds the same table of scenes in every dialect of package model, against fakes that
// check requests as the vendors do: dialectrows_test.go and dialectfailures_test.go have its rows,
// dialectstage_test.go its columns and the runtime. It is the table of docs/models.md. The module
// e2e/sdks shows that the fakes speak as the vendors do.
//
// The tests need no keys, no ripgrep, no node, and no network other than this machine's.
package e2e
