//go:build linux

package canary_test

import "strings"

// exceptions are lines whose harm a sandbox does not promise to prevent, with the reason.
var exceptions = []struct {
	part string // of the line
	mode string // the only mode that it holds for
	why  string
}{
	{
		"git init -q er; git -C er", "workspace-write with git",
		"a new repository in the project is the command's to make; sandbox.Policy.Present finds it, and the user is told",
	},
	{
		".git/commondir", "workspace-write with git",
		"where git may write .git, what is not there yet cannot be kept from being made: sandbox.Policy.Present finds it, and the user is told",
	},
	{
		".git/config.worktree", "workspace-write with git",
		"the same; and without extensions.worktreeConfig, which cannot be set, git does not read it",
	},
}

// excepted returns why the harm of a line in a mode is no flaw; empty if it is one.
func excepted(m mode, line string) string {
	for _, e := range exceptions {
		if strings.Contains(line, e.part) && e.mode == m.name {
			return e.why
		}
	}
	return ""
}
