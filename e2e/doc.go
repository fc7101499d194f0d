// Package e2e tests the program from outside, as its users do: the built binary, with the
// official Copilot SDK for Go as its client and a scripted model as its provider. It
// contains only tests.
//
// recordings_test.go is the exception: it replays recorded conversations with real models
// against a server in the test process, where thousands of turns take a second. The
// recording has the prompts and the results of the calls (recorded_test.go); a *scene* has
// the rest of the setup (scene_test.go, and the tables scenes*_test.go); a *holder* plays
// the client (holder_test.go, replies_test.go). Built-in tools really run, in a temporary
// folder. A recording with only tools of clients runs in a testing/synctest bubble.
//
// The tests need no keys, no ripgrep, no node, and no network other than this machine's.
package e2e
