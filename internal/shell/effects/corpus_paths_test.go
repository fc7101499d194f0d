package effects_test

import (
	"github.com/sidestick-dev/sidestick/internal/permit"
)

// pathCorpus holds paths that file tools are asked to read or write.
var pathCorpus = []struct {
	kind   permit.Kind
	path   string
	want   permit.Verdict
	source string
}{
	{permit.Read, "/w/src/main.go", permit.Allow, "ordinary"},
	{permit.Read, "/w", permit.Allow, "the folder itself"},
	{permit.Write, "/w/src/new.go", permit.Allow, "ordinary"},
	{permit.Write, "/w/.github/workflows/ci.yml", permit.Allow, "runs elsewhere, after a push"},
	{permit.Read, "/w/.git/config", permit.Allow, "reading runs nothing"},
	{permit.Read, "/etc/passwd", permit.Ask, "an absolute path"},
	{permit.Read, "/w/../etc/passwd", permit.Ask, "CVE-2025-54794, Claude Code"},
	{permit.Read, "/wother/x", permit.Ask, "CVE-2025-54794, Claude Code: a prefix is not a folder"},
	{permit.Read, "/W/x", permit.Ask, "CVE-2025-59944, Cursor: other case"},
	{permit.Read, "/w/link/passwd", permit.Ask, "CVE-2025-53109, MCP filesystem: links"},
	{permit.Read, "/w/src/passwd", permit.Ask, "CVE-2025-53109"},
	{permit.Write, "/w/link/cron.d/x", permit.Ask, "CVE-2025-53109"},
	{permit.Write, "/w/dangling", permit.Ask, "CVE-2026-39861, Claude Code: a link to what is not there yet"},
	{permit.Write, "/home/u/.bashrc", permit.Ask, "run by the next shell"},
	{permit.Write, "/w/.git/hooks/pre-commit", permit.Ask, "githooks"},
	{permit.Write, "/w/sub/.git/config", permit.Ask, "git-config: core.fsmonitor"},
	{permit.Write, "/w/.GIT/config", permit.Ask, "CVE-2025-59944: other case"},
	{permit.Write, "/w/.git./config", permit.Ask, "CVE-2019-1352: names that some systems take for .git"},
	{permit.Write, "/w/.vscode/settings.json", permit.Ask, "CVE-2025-53773, Copilot"},
	{permit.Write, "/w/.vscode/tasks.json", permit.Ask, "CVE-2025-53773"},
	{permit.Write, "/w/.cursor/mcp.json", permit.Ask, "CVE-2025-54135, Cursor"},
	{permit.Write, "/w/.mcp.json", permit.Ask, "CVE-2025-54136, Cursor"},
	{permit.Write, "/w/.claude/settings.json", permit.Ask, "CVE-2026-25725, Claude Code"},
	{permit.Write, "/w/.envrc", permit.Ask, "direnv"},
	{permit.Write, "/w/.husky/pre-commit", permit.Ask, "husky"},
	{permit.Write, "/w/.npmrc", permit.Ask, "npm help config: script-shell"},
}
