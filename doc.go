// Package sidestick is the root of Sidestick, an open agent runtime in one static binary:
// applications on the official GitHub Copilot SDKs connect to it, and it runs their agents
// on any model.
//
// The root has no code, only tests of the whole checkout. arch_test.go gives each
// package a layer, and each third-party module the packages that may import it; it fails on a
// package without a line, on an import of the same or a higher layer, and on a module in
// another package. settings_test.go and messages_test.go
// compare docs/settings.md and docs/troubleshooting.md with the code; links_test.go checks
// the links of all pages; containerfile_test.go checks the Containerfile.
//
// The program is cmd/sidestick, and its packages are below internal. README.md explains how
// to use it, docs/architecture.md follows one request through all packages. bench compares
// two runtimes, tools/release builds the archives of a release.
package sidestick
