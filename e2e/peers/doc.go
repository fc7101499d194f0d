// Package peers tests this program with programs of others. It contains only tests; the other
// programs must be installed. nodesdk_test.go tests the whole program with the SDK for Node.
//
// Package extension is tested with GitHub's SDK for agents and its example agents, its example in
// Go, and its debugging client; package mcp with the MCP servers that the project itself
// publishes for Node (mcp_test.go, only with the build tag npm). Those servers are pinned in
// testdata/mcp, together with the released SDK for Node, and .ci/run installs them. The SDK is
// installed without the runtimes that it would bring: package.json puts a folder that does not
// exist in their place.
//
//	cp e2e/peers/testdata/mcp/package*.json servers/ && (cd servers && npm ci --ignore-scripts)
//	SIDESTICK_MCP_PEERS=$PWD/servers go test -tags npm ./e2e/peers
//
// The other tests run if the programs are there, and are skipped otherwise:
//
//	mkdir peer && cd peer && npm init -y && npm i @copilot-extensions/preview-sdk@5.0.1 octokit@4
//	SIDESTICK_PEERS=$PWD/peer go test ./e2e/peers
//	SIDESTICK_GH_DEBUG_CLI=/path/to/gh-debug-cli go test ./e2e/peers
//	SIDESTICK_FUNCTION_CALLING=/path/to/function-calling-extension go test ./e2e/peers
//	mkdir node && cd node && npm init -y && npm i --omit=optional --ignore-scripts @github/copilot-sdk@1.0.15-preview.4
//	SIDESTICK_NODE_SDK=$PWD/node go test ./e2e/peers
//
// The first and the last require Node 20 or newer on the PATH. The others are binaries of
// github.com/copilot-extensions/gh-debug-cli and …/function-calling-extension, built in a
// checkout by go build. None needs a network: testdata/shim.mjs, or a proxy for the Go
// agent, redirects the peer's requests to GitHub to a fake in the test.
package peers
