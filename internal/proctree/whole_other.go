//go:build !unix

package proctree

import "os/exec"

// KillWhole does nothing: only the program itself is killed.
func KillWhole(*exec.Cmd) {}
