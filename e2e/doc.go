// Package e2e tests the program from outside, as its users do: the built binary
// with the official Copilot SDK for Go as its client and a scripted model as its
// provider. It holds tests only.
//
// recordings_test.go is the exception: it replays what real models once said to
// the server in this process, where thousands of turns take a second.
package e2e
