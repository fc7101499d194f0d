// Package sidestick is the root of Sidestick, an open agent runtime in one static binary:
// applications on the official GitHub Copilot SDKs connect to it, and it runs their agents
// on any model.
//
// The root has no code, only tests of the whole checkout: the layers of the packages and their
// imports, the sizes of functions and files, and what pages of docs/ say about the code.
//
// The program is cmd/sidestick, and its packages are below internal. README.md explains how
// to use it, docs/architecture.md follows one request through all packages. bench compares
// two runtimes, tools/release builds the archives of a release.
package sidestick
