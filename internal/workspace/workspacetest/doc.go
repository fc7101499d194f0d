// Package workspacetest is the conformance suite of [workspace.Files]: what every
// implementation must do, in suite.go, and [Memory], the smallest one that does it, in
// memory.go.
package workspacetest
