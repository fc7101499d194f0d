// Package e2e tests the program from outside, as its users do: the built binary
// with the official Copilot SDK for Go as its client and a scripted model as its
// provider. It holds tests only.
//
// recordings_test.go is the exception: it replays what real models once said to
// the server in this process, where thousands of turns take a second. The prompts,
// and what became of each call, are in the recording (recorded_test.go); what its test
// sets up besides is a scene (scene_test.go, and the tables scenes*_test.go); a
// holder (holder_test.go, replies_test.go) is the client that acts it out. Built-in
// tools work in earnest, in a folder of the test. A recording that only clients'
// tools occur in is held in a testing/synctest bubble.
//
// Nothing here needs a network beyond this machine, keys, ripgrep or node.
package e2e
