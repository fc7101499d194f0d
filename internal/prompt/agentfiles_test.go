package prompt_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/prompt"
)

func TestFindAgents(t *testing.T) {
	found := prompt.FindAgents(prompt.AgentSearch{
		Disk: memory(
			t,
			"/repo/.github/agents/guide.agent.md", "---\ndescription: Knows things.\ntools: read, Edit, deploy, playwright/*, db/query\nmodel: small\nskills: [go]\ninfer: false\ntarget: vscode\nmcp-servers:\n  db: {command: db, args: [-q], env: {KEY: \"${KEY}\"}}\n  odd: 7\n---\n\nExplain.\n",
			"/repo/.github/agents/README.md", "No agent.",
			"/repo/.github/agents/odd name.md", "Odd.",
			"/repo/.claude/agents/guide.md", "Another guide.",
			"/repo/.claude/agents/all.md", "---\ntools: ['*']\nuser-invocable: false\ndeferred-tool-loading: true\n---\nAll.",
			"/home/agents/mine.md", "---\nname: My Mender\ndescription: Mends.\ntools: []\ndisable-model-invocation: true\ndeferred-tool-loading: perhaps\n---\nMend.",
		),
		Root: "/repo", Home: "/home",
	})
	want := []agent.Definition{
		{
			Name: "guide", Description: "Knows things.", Prompt: "Explain.", Tools: []string{"view", "edit", "create", "deploy", "mcp:playwright/*", "db-query"}, Skills: []string{"go"},
			Model: "small", Source: agent.Project, Path: "/repo/.github/agents/guide.agent.md",
			MCPServers: map[string]json.RawMessage{"db": json.RawMessage(`{"args":["-q"],"command":"db","env":{"KEY":"${KEY}"}}`)},
		},
		{Name: "all", Prompt: "All.", Infer: true, Hidden: true, DeferTools: true, Source: agent.Project, Path: "/repo/.claude/agents/all.md"},
		{Name: "mine", DisplayName: "My Mender", Description: "Mends.", Prompt: "Mend.", Tools: []string{}, Source: agent.User, Path: "/home/agents/mine.md"},
	}
	if diff := cmp.Diff(want, found.List); diff != "" {
		t.Errorf("the agents (-want +got):\n%s", diff)
	}
	for _, part := range []string{`the MCP server "odd" has no configuration`, "target has no effect", `the agent "guide" is in `, "all.md: it has no description", "mine.md: deferred-tool-loading is neither true nor false"} {
		if !strings.Contains(strings.Join(found.Warnings, "\n"), part) {
			t.Errorf("no warning says %q:\n%s", part, strings.Join(found.Warnings, "\n"))
		}
	}
	if len(found.Warnings) != 5 || len(found.Errors) != 1 || !strings.Contains(found.Errors[0], `"odd name" is not a name for an agent`) {
		t.Errorf("warnings: %q, errors: %q", found.Warnings, found.Errors)
	}
}
