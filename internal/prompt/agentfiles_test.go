package prompt_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/prompt"
)

func TestFindAgents(t *testing.T) {
	found := prompt.FindAgents(prompt.AgentSearch{
		Disk: memory(
			t,
			"/repo/.github/agents/guide.agent.md", "---\ndescription: Knows things.\ntools: read, Edit, deploy, playwright/*, db/query\nmodel: small\nskills: [go]\ninfer: false\ntarget: vscode\nmcp-servers:\n  db: {command: db, args: [-q], env: {KEY: \"${KEY}\"}}\n  odd: 7\n---\n\nExplain.\n",
			"/repo/.github/agents/README.md", "No agent.",
			"/repo/.github/agents/odd name.md", "Odd.",
			"/repo/.claude/agents/guide.md", "---\nname: guide\ndescription: Another guide.\n---\nAnother guide.",
			"/repo/.claude/agents/all.md", "---\nname: all\ndescription: Everything.\ntools: ['*']\nuser-invocable: false\ndeferred-tool-loading: true\n---\nAll.",
			"/repo/.claude/agents/deep/er/notes.md", "Notes about agents.",
			"/repo/.agents/agents/bare.md", "Bare.",
			"/home/agents/mine.md", "---\nname: My Mender\ndescription: Mends.\ntools: []\ndisable-model-invocation: true\ndeferred-tool-loading: perhaps\n---\nMend.",
		),
		Root: "/repo", Home: "/home",
	})
	want := []agent.Definition{
		{
			Name: "guide", Description: "Knows things.", Prompt: "Explain.", Tools: []string{"view", "edit", "deploy", "mcp:playwright/*", "mcp:db/query"}, Skills: []string{"go"},
			Model: "small", Source: agent.Project, Path: "/repo/.github/agents/guide.agent.md",
			MCPServers: map[string]json.RawMessage{"db": json.RawMessage(`{"args":["-q"],"command":"db","env":{"KEY":"${KEY}"}}`)},
		},
		{Name: "bare", Prompt: "Bare.", Infer: true, Source: agent.Project, Path: "/repo/.agents/agents/bare.md"},
		{Name: "all", Description: "Everything.", Prompt: "All.", Infer: true, Hidden: true, DeferTools: true, Source: agent.Project, Path: "/repo/.claude/agents/all.md"},
		{Name: "mine", DisplayName: "My Mender", Description: "Mends.", Prompt: "Mend.", Tools: []string{}, Source: agent.User, Path: "/home/agents/mine.md"},
	}
	if diff := cmp.Diff(want, found.List); diff != "" {
		t.Errorf("the agents (-want +got):\n%s", diff)
	}
	for _, part := range []string{`the MCP server "odd" has no configuration`, "target has no effect", `the agent "guide" is in `, "bare.md: it has no description", "mine.md: deferred-tool-loading is neither true nor false"} {
		if !strings.Contains(strings.Join(found.Warnings, "\n"), part) {
			t.Errorf("no warning says %q:\n%s", part, strings.Join(found.Warnings, "\n"))
		}
	}
	if len(found.Warnings) != 5 || len(found.Errors) != 2 || !strings.Contains(found.Errors[0], `"odd name" is not a name for an agent`) ||
		!strings.Contains(found.Errors[1], "notes.md: left out: in .claude/agents an agent has a name") {
		t.Errorf("warnings: %q, errors: %q", found.Warnings, found.Errors)
	}
}

// The names of tools of Claude Code and of Copilot, in any case, are those of this program.
func TestToolsOfAgentsHaveTheNamesOfBothWorlds(t *testing.T) {
	shell := []string{"bash", "read_bash", "write_bash", "stop_bash", "list_bash"}
	tasks := []string{"task", "read_agent", "list_agents", "write_agent"}
	for _, tc := range []struct {
		tools    string
		want     []string
		warnings []string
	}{
		{"Read, Grep, Glob, Bash", slices.Concat([]string{"view", "grep", "glob"}, shell), nil},
		{"[read, SEARCH, Execute]", slices.Concat([]string{"view", "grep", "glob"}, shell), nil},
		{"edit", []string{"edit", "create"}, nil},
		{"Edit, Write", []string{"edit", "create"}, nil},
		{"Write", []string{"create"}, nil},
		{"NotebookRead, LS, PowerShell", slices.Concat([]string{"view", "glob"}, shell), nil},
		{"WebFetch, WebSearch", []string{"web_fetch"}, []string{"tools: WebSearch: there is no such tool here"}},
		{"Task", tasks, nil},
		{"Agent(explore, reviewer)", tasks, []string{"tools: Agent(explore, reviewer): which agents it may start cannot be limited"}},
		{"TodoWrite, Skill, AskUserQuestion", []string{"sql", "skill", "ask_user"}, nil},
		{"Read, Bash(git log:*)", []string{"view"}, []string{"tools: Bash(git log:*): a tool cannot be limited"}},
		{"mcp__github__get_issue, mcp__db, mcp__files__*, mcp__a__get_*", []string{"mcp__github__get_issue", "mcp__db__*", "mcp__files__*", "mcp__a__get_*"}, nil},
		{"db/query, files/*, deploy", []string{"mcp:db/query", "mcp:files/*", "deploy"}, nil},
		{"[]", []string{}, nil},
		{"'*'", nil, nil},
	} {
		found := findOne(t, "tools: "+tc.tools)
		if len(found.List) != 1 || !slices.Equal(found.List[0].Tools, tc.want) || (found.List[0].Tools == nil) != (tc.want == nil) {
			t.Errorf("%s: %+v, want the tools %q", tc.tools, found, tc.want)
		}
		wantWarnings(t, found, tc.warnings...)
	}
	if found := findOne(t, "tools: WebSearch, LSP"); len(found.List) != 0 || len(found.Errors) != 1 || !strings.Contains(found.Errors[0], "none of its tools exists here: WebSearch, LSP") {
		t.Errorf("an agent without a tool: %+v", found)
	}
	found := findOne(t, "disallowedTools: Write, Edit, Bash(rm *), mcp__*, WebSearch")
	if want := slices.Concat([]string{"create", "edit"}, shell, []string{"mcp:*"}); len(found.List) != 1 || !slices.Equal(found.List[0].ExcludedTools, want) {
		t.Errorf("disallowedTools: %+v, want %q", found, want)
	}
	wantWarnings(t, found, "disallowedTools: Bash(rm *): a part of a tool cannot be taken away")
}

// What cannot be read of disallowedTools may have been a tool that the agent must not have, so it has none.
func TestDisallowedToolsThatCannotBeRead(t *testing.T) {
	for front, warning := range map[string]string{
		"disallowedTools:\n  Bash: true":   "disallowedTools: it is neither a text nor a list",
		"disallowedTools: 5":               "disallowedTools: it is neither a text nor a list",
		"disallowedTools: [Edit, Bash: 1]": "disallowedTools: map[Bash:1] is no name of a tool",
		"disallowedTools: [[Bash]]":        "disallowedTools: [Bash] is no name of a tool",
	} {
		found := findOne(t, front)
		if len(found.List) != 1 || found.List[0].Tools == nil || len(found.List[0].Tools) > 0 {
			t.Errorf("%s: %+v, want no tools", front, found.List)
		}
		wantWarnings(t, found, warning, "disallowedTools cannot be read, so it has no tools")
	}
	wantWarnings(t, findOne(t, "disallowedTools: Bash Edit"), "disallowedTools: Bash Edit: no tool has this name; commas separate names")
	wantWarnings(t, findOne(t, "tools: {Bash: true}"), "tools: it is neither a text nor a list")
	wantWarnings(t, findOne(t, "disallowedTools:"))
}

// Fields of Claude Code have their effect, make nothing less strict, or are named.
func TestFieldsOfAgentsHaveAnEffectOrAreNamed(t *testing.T) {
	found := findOne(t, "model: haiku\npermissionMode: plan\nmaxTurns: 7\neffort: high\nbackground: true\nmcpServers:\n- github\n- db: {command: db}\ncolor: red")
	want := agent.Definition{
		Name: "x", Description: "X.", Prompt: "Do.", Model: "haiku", Permission: agent.Planning, MaxTurns: 7, ReasoningEffort: "high", Background: true,
		Servers: []string{"github"}, MCPServers: map[string]json.RawMessage{"db": json.RawMessage(`{"command":"db"}`)},
		Infer: true, Source: agent.Project, Path: "/r/.claude/agents/x.md",
	}
	if diff := cmp.Diff([]agent.Definition{want}, found.List); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	wantWarnings(t, found)
	found = findOne(t, "permissionMode: bypassPermissions\nmaxTurns: many\neffort: huge\nhooks: {}\nmemory: user\nisolation: worktree\ninitialPrompt: Go\nnewField: 1")
	if d := found.List[0]; d.Permission != "" || d.MaxTurns != 0 || d.ReasoningEffort != "" {
		t.Errorf("what is not understood: %+v", d)
	}
	wantWarnings(
		t, found, "permissionMode: bypassPermissions has no effect, because a file cannot allow anything", "maxTurns has no effect", "effort has no effect",
		"hooks has no effect", "initialPrompt has no effect", "isolation has no effect in this version: the agent works in the same folder", "memory has no effect", "newField has no effect",
	)
}

// Agents of VS Code have a list of models, of which the first counts that the provider has.
func TestModelsOfAnAgent(t *testing.T) {
	found := findOne(t, "model: ['Claude Sonnet 4.5 (copilot)', 'GPT-5']")
	if got, want := found.List[0].Model, "Claude Sonnet 4.5 (copilot), GPT-5"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	wantWarnings(t, found)
	found = findOne(t, "model: [1, {x: y}]")
	if got := found.List[0].Model; got != "" {
		t.Errorf("%q, want none", got)
	}
	wantWarnings(t, found, "model has no effect where it is neither a name nor a list of at most 20 names")
}

// Without trust an agent of the project works with what the session has. It takes the place of no other agent.
func TestAnAgentOfAFolderWithoutTrust(t *testing.T) {
	untrusted := func(string, string) error { return projectfiles.ErrUntrusted }
	found := prompt.FindAgents(prompt.AgentSearch{
		Disk: memory(
			t,
			"/r/.claude/agents/helper.md", "---\nname: helper\ndescription: Helps.\nmcpServers: {db: {command: db}}\n---\nHelp.",
			"/r/.claude/agents/mine.md", "---\nname: mine\ndescription: Not mine.\n---\nSteal.",
			"/r/.claude/agents/explore.md", "---\nname: explore\ndescription: Explores.\n---\nSteal.",
			"/r/.claude/agents/upper.md", "---\nname: EXPLORE\ndescription: Explores.\n---\nSteal.",
			"/r/.claude/agents/cyrillic.md", "---\nname: \u0435xplore\ndescription: Explores.\n---\nSteal.",
			"/home/agents/mine.md", "---\ndescription: Mine.\n---\nMine.",
		),
		Root: "/r", Home: "/home", Counts: untrusted,
	})
	want := []agent.Definition{
		{Name: "mine", Description: "Mine.", Prompt: "Mine.", Infer: true, Source: agent.User, Path: "/home/agents/mine.md"},
		{Name: "helper", Description: "Helps.", Prompt: "Help.", Infer: true, Source: agent.Project, Path: "/r/.claude/agents/helper.md", Untrusted: true},
	}
	if diff := cmp.Diff(want, found.List); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	wantWarnings(t, found, `the MCP server "db" is not started, because the folder is not trusted`, "the built-in agent of its name, \u0435xplore, or would be taken for it, which needs trust", "its name, explore,", "its name, EXPLORE,", `the agent "mine" is in /home/agents/mine.md already`)
}

// The agents of the folder that is nearest to the working directory come first.
func TestTheNearestAgentIsUsed(t *testing.T) {
	found := prompt.FindAgents(prompt.AgentSearch{
		Disk: memory(
			t,
			"/r/.claude/agents/a.md", "---\nname: a\ndescription: Root.\n---\nRoot.",
			"/r/app/.claude/agents/team/a.md", "---\nname: a\ndescription: App.\n---\nApp.",
			"/r/other/.claude/agents/b.md", "---\nname: b\ndescription: B.\n---\nB.",
		),
		Root: "/r", Cwd: "/r/app/web",
	})
	if len(found.List) != 1 || found.List[0].Prompt != "App." {
		t.Errorf("found %+v", found.List)
	}
}

func findOne(t *testing.T, front string) prompt.Agents {
	t.Helper()
	return prompt.FindAgents(prompt.AgentSearch{Disk: memory(t, "/r/.claude/agents/x.md", "---\nname: x\ndescription: X.\n"+front+"\n---\nDo."), Root: "/r"})
}

// wantWarnings compares the warnings with parts of them.
func wantWarnings(t *testing.T, found prompt.Agents, parts ...string) {
	t.Helper()
	if len(found.Warnings) != len(parts) {
		t.Errorf("%d warnings, want %d: %q", len(found.Warnings), len(parts), found.Warnings)
	}
	for _, part := range parts {
		if !slices.ContainsFunc(found.Warnings, func(w string) bool { return strings.Contains(w, part) }) {
			t.Errorf("no warning says %q: %q", part, found.Warnings)
		}
	}
}
