// Package workspacetest is the conformance suite of [workspace.Files]: what every implementation
// must do, and [Memory], the smallest one that does it.
package workspacetest
