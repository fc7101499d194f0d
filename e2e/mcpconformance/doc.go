// Package mcpconformance runs the conformance suite of the Model Context Protocol, in two versions,
// against this program. It contains only tests, with the build tag conformance.
//
// A scenario of the suite is a server that looks at what a client sends. The client is the program
// with a session of the SDK for Go, on a model that calls every tool it is offered (client_test.go); this
// test program starts itself as the command that the suite wants. testdata pins the suite, and .ci/run
// installs it. Scenarios that fail are listed with the reasons: the test fails if another one
// does, and if one of them passes.
//
//	cp e2e/mcpconformance/testdata/package*.json suite/ && (cd suite && npm ci --ignore-scripts)
//	SIDESTICK_MCP_CONFORMANCE=$PWD/suite go test -tags conformance ./e2e/mcpconformance
//
// SIDESTICK_BINARY names a program to test instead of that of the checkout.
package mcpconformance
