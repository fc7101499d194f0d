// Package inprocess tries the library that SDKs load to host the runtime in process (the folder inprocess/ of the
// repository): with a host in C that does what hosts do to it, and with the official Go SDK. It contains only tests.
//
//	go test -tags 'inprocess copilot_inprocess' ./e2e/inprocess
//	go test -tags 'inprocess copilot_inprocess' ./e2e/inprocess -closes 10000
//
// It needs a C compiler, and for one test valgrind. Without the build tag the package is empty, because `go test ./...`
// must not need them. The second tag is the SDK's own.
package inprocess
