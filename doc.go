// Package sidestick is the root of Sidestick, an open agent runtime in one
// static binary: applications on the official GitHub Copilot SDKs connect to it,
// and it runs their agents on any model.
//
// The root holds no code. The program is cmd/sidestick, its rooms are below
// internal, and arch_test.go beside this file says which may import which and
// fails when one does not. README.md says how to use it, docs/architecture.md
// walks one request through all rooms.
package sidestick
