// Package peers holds package extension against programs that are not ours: GitHub's
// SDK for agents with its example agents, its example in Go, and its debugging client.
// There are tests only, and nothing of the peers.
//
// The tests run where the peers are, and are skipped elsewhere:
//
//	mkdir peer && cd peer && npm init -y && npm i @copilot-extensions/preview-sdk@5.0.1 octokit@4
//	SIDESTICK_PEERS=$PWD/peer go test ./e2e/peers
//	SIDESTICK_GH_DEBUG_CLI=/path/to/gh-debug-cli go test ./e2e/peers
//	SIDESTICK_FUNCTION_CALLING=/path/to/function-calling-extension go test ./e2e/peers
//
// The first wants Node 20 or newer on the PATH. The others are binaries of
// github.com/copilot-extensions/gh-debug-cli and …/function-calling-extension, built
// in a checkout by go build. None needs a network: testdata/shim.mjs, or for the Go
// agent a proxy, leads what a peer would ask of GitHub to a stand-in of the test.
package peers
