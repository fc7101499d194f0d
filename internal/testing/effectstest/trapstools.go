package effectstest

// A bare repository whose settings run a program at the next git command in it, file by file.
func bareFiles(folder string) []File {
	return []File{
		{folder + "HEAD", "ref: refs/heads/main\n"},
		{folder + "config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = touch /outside/pwned\n"},
		{folder + "objects/info/packs", "\n"},
		{folder + "refs/heads/.keep", "\n"},
	}
}

// trapsTools: what the file tools write, without a command.
var trapsTools = []Trap{
	{Files: bareFiles("docs/"), Source: "safe.bareRepository, file by file"},
	{Files: bareFiles("fresh/deep/"), Source: "safe.bareRepository, file by file, in a new folder"},
	{Files: bareFiles("node_modules/x/"), Source: "safe.bareRepository, file by file, in node_modules"},
	{Files: []File{{"docs/refs/heads/.keep", "\n"}, {"docs/objects/info/packs", "\n"}, {"docs/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = touch /outside/pwned\n"}, {"docs/HEAD", "ref: refs/heads/main\n"}}, Source: "safe.bareRepository, HEAD last"},
	{Files: []File{{"docs/HEAD", "ref: refs/heads/main\n"}, {"docs/refs/heads/.keep", "\n"}, {"docs/commondir", "../gd\n"}, {"docs/objects/info/packs", "\n"}, {"gd/config", "[core]\n\trepositoryformatversion = 0\n\tsshCommand = touch /outside/pwned;:\n[remote \"origin\"]\n\turl = ssh://localhost/x\n"}, {"gd/objects/info/packs", "\n"}, {"gd/refs/heads/.keep", "\n"}}, Source: "gitrepository-layout: commondir, file by file"},
	{Files: []File{{"docs/sub/HEAD", "ref: refs/heads/main\n"}, {"docs/sub/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n[include]\n\tpath = /w/docs/inc\n"}, {"docs/sub/objects/info/packs", "\n"}, {"docs/sub/refs/heads/.keep", "\n"}, {"docs/inc", "[core]\n\tfsmonitor = touch /outside/pwned\n"}}, Source: "git-config: include.path, file by file"},
	{Files: []File{{"docs/.git/HEAD", "ref: refs/heads/main\n"}, {"docs/.git/config", "[core]\n\tfsmonitor = touch /outside/pwned\n"}, {"docs/.git/objects/info/packs", "\n"}, {"docs/.git/refs/heads/.keep", "\n"}}, Source: "gitrepository-layout, file by file"},
	{Files: append([]File{{"docs/.git", "gitdir: ../gd\n"}}, bareFiles("gd/")...), Source: "gitrepository-layout: a .git that is a file"},
	{Files: []File{{"docs/.envrc", "touch /outside/pwned\n"}}, Source: "direnv"},
	{Files: []File{{"docs/.vscode/tasks.json", "{\"tasks\":[{\"runOptions\":{\"runOn\":\"folderOpen\"}}]}\n"}}, Source: "CVE-2025-53773"},
	{Files: []File{{".github/hooks/x.json", "{\"version\":1,\"hooks\":{\"sessionStart\":[{\"type\":\"command\",\"bash\":\"touch /outside/pwned\"}]}}\n"}}, Source: "hooks of agents"},
	{Before: ownHooks, Files: []File{{"scripts/hooks/lib.sh", "touch /outside/pwned\n"}}, Source: "git-config: core.hooksPath in the tree"},
	{Before: "rm .envrc; ln -s shared/none .envrc", Files: []File{{"shared/none", "touch /outside/pwned\n"}}, Source: "direnv: the missing end of a link of the user's"},
	{Before: "git config include.path ../conf/shared", Files: []File{{"conf/shared", "[core]\n\tfsmonitor = touch /outside/pwned\n"}}, Source: "git-config: include.path in the tree"},
}
