//go:build linux

package canary_test

// exceptions are lines whose harm a sandbox does not promise to prevent, with the reason.
var exceptions = []struct {
	line string
	mode string // the only mode that it holds for; empty for every one
	why  string
}{
	{
		"git init -q er; git -C er -c user.name=a -c user.email=a commit -q --allow-empty -m x; git add er; git -C er config core.fsmonitor 'touch /outside/pwned'", "workspace-write with git",
		"a new repository in the project is the command's to make; sandbox.Policy.Present finds it, and the user is told",
	},
	{
		"mkdir -p e; cp -r .git/. e; git config -f e/config core.fsmonitor 'touch /outside/pwned'; echo ../e > .git/commondir", "workspace-write with git",
		"where git may write .git, what is not there yet cannot be kept from being made: sandbox.Policy.Present finds it, and the user is told",
	},
	{
		"printf '[core]\\n\\tfsmonitor = touch /outside/pwned\\n' > .git/config.worktree; git config extensions.worktreeConfig true", "workspace-write with git",
		"as above; and without extensions.worktreeConfig, which cannot be set, git does not read it",
	},
}

// excepted returns why the harm of a line in a mode is no flaw; empty if it is one.
func excepted(m mode, line string) string {
	for _, e := range exceptions {
		if e.line == line && (e.mode == "" || e.mode == m.name) {
			return e.why
		}
	}
	return ""
}
