package projectfiles

// What the powers of the kinds are, where several entries have the same.
const (
	isText      = "text that the model reads"
	nested      = "; in other folders of the project once a tool reads or changes a file there"
	aSkill      = "allowed-tools allows tools while the skill is in use; the model reads the rest"
	anAgent     = "mcp-servers starts programs; model names a model, perhaps at another address"
	aPrompt     = "the text is sent as a message of the user, who types its name"
	aCommand    = "the text is sent as a message of the user, who types its name; commands in it run before, if they are allowed"
	aHook       = "commands that run at events of a session"
	aBrought    = "hooks are commands that run at events of a session; permissions allow tools, or make things stricter, which counts without trust"
	hasHooks    = "hooks are commands that run at events of a session; the rest has no effect"
	aServer     = "programs that are started, and addresses that get the arguments of tools"
	aManifest   = "names the folders of the plugin's skills"
	aCatalogue  = "names plugins, of which the user installs some"
	aRepository = "the folder is the root of a project; its branch and its remote are shown"
)

// SettingsFile is the path of the settings of a project, and GitFolder that of a repository's own
// files, below the root of the project.
const (
	SettingsFile = ".sidestick/config.jsonc"
	GitFolder    = ".git"
)

// editorServers is the path of the servers of an editor, which are in a member of another name.
const editorServers = ".vscode/mcp.json"

// gitKnows says why .git is not among the names of [Protected].
const gitKnows = "git's own files have names of their own in package permit"

// table is the table. Of the entries of one kind in one place, the first is the one for new files,
// and the order is that of reading. Sources: docs/prompts.md, docs/mcp.md, docs/settings.md.
var table = []Entry{
	{Kind: Instructions, In: UserHome, Path: ".claude/CLAUDE.md", Trust: Own, Does: isText + "; what Claude Code reads, too"},
	{Kind: Instructions, In: UserHome, Path: ".claude/rules/**/*.md", Trust: Own, Does: isText + "; what Claude Code reads, too"},
	{Kind: Instructions, In: Home, Path: "copilot-instructions.md", Trust: Own, Does: isText},
	{Kind: Instructions, In: Home, Path: "instructions/**/*.instructions.md", Trust: Own, Does: isText},
	{Kind: Instructions, In: Ends, Path: ".github/copilot-instructions.md", Trust: Nobody, Does: isText},
	{Kind: Instructions, In: Ends, Path: ".github/instructions/**/*.instructions.md", Trust: Nobody, Does: isText},
	{Kind: Instructions, In: Way, Path: "AGENTS.md", Trust: Nobody, Does: isText + nested},
	{Kind: Instructions, In: Way, Path: "CLAUDE.md", Trust: Nobody, Does: isText + nested},
	{Kind: Instructions, In: Way, Path: ".claude/CLAUDE.md", Trust: Nobody, Does: isText + nested},
	{Kind: Instructions, In: Way, Path: ".claude/rules/**/*.md", Trust: Nobody, Does: isText},
	{Kind: Instructions, In: Way, Path: "CLAUDE.local.md", Trust: Nobody, Does: isText + nested + "; usually ignored by git"},
	{Kind: Instructions, In: Root, Path: "GEMINI.md", Trust: Nobody, Does: isText},
	{Kind: Instructions, In: Client, Path: "AGENTS.md", Trust: Nobody, Does: isText},
	{Kind: Instructions, In: Client, Path: "CLAUDE.md", Trust: Nobody, Does: isText},
	{Kind: Instructions, In: Client, Path: "copilot-instructions.md", Trust: Nobody, Does: isText},
	{Kind: Instructions, In: Client, Path: "*.instructions.md", Trust: Nobody, Does: isText},
	{Kind: Instructions, In: Client, Path: ".github/copilot-instructions.md", Trust: Nobody, Does: isText},
	{Kind: Instructions, In: Client, Path: ".github/instructions/**/*.instructions.md", Trust: Nobody, Does: isText},

	{Kind: Skills, In: Client, Path: "SKILL.md", Powers: Grants, Trust: Folder, Does: aSkill},
	{Kind: Skills, In: Client, Path: "*/SKILL.md", Powers: Grants, Trust: Folder, Does: aSkill},
	{Kind: Skills, In: Way, Path: ".github/skills/*/SKILL.md", Powers: Grants, Trust: Folder, Does: aSkill},
	{Kind: Skills, In: Way, Path: ".agents/skills/*/SKILL.md", Powers: Grants, Trust: Folder, Does: aSkill},
	{Kind: Skills, In: Way, Path: ".claude/skills/*/SKILL.md", Powers: Grants, Trust: Folder, Does: aSkill},
	{Kind: Skills, In: Home, Path: "skills/*/SKILL.md", Powers: Grants, Trust: Own, Does: aSkill},
	{Kind: Skills, In: UserHome, Path: ".agents/skills/*/SKILL.md", Powers: Grants, Trust: Own, Does: aSkill},
	{Kind: Skills, In: Plugin, Path: "SKILL.md", Powers: Grants, Trust: Folder, Does: aSkill},
	{Kind: Skills, In: Plugin, Path: "skills/*/SKILL.md", Powers: Grants, Trust: Folder, Does: aSkill + "; the manifest can name further folders"},

	{Kind: Agents, In: Way, Path: ".github/agents/*.md", Powers: Starts | Sends, Trust: Folder, Does: anAgent},
	{Kind: Agents, In: Way, Path: ".agents/agents/*.md", Powers: Starts | Sends, Trust: Folder, Does: anAgent},
	{Kind: Agents, In: Way, Path: ".claude/agents/**/*.md", Powers: Starts | Sends, Trust: Folder, Does: anAgent},
	{Kind: Agents, In: Home, Path: "agents/*.md", Powers: Starts | Sends, Trust: Own, Does: anAgent},
	{Kind: Agents, In: Plugin, Path: "agents/*.md", Powers: Starts | Sends, Trust: Installed, Does: anAgent},
	{Kind: Agents, In: Client, Path: "*.md", Trust: Nobody, Does: "an agent that a client may use, without its servers"},

	{Kind: Prompts, In: Root, Path: ".github/prompts/*.prompt.md", Powers: Speaks, Trust: Folder, Does: aPrompt},
	{Kind: Prompts, In: Root, Path: ".claude/commands/**/*.md", Powers: Speaks, Trust: Folder, Does: aCommand},
	{Kind: Prompts, In: Home, Path: "prompts/*.prompt.md", Powers: Speaks, Trust: Own, Does: aPrompt},
	{Kind: Prompts, In: Plugin, Path: "commands/**/*.md", Powers: Speaks, Trust: Installed, Does: aPrompt + "; commands in it need trust in the folder"},

	{Kind: Hooks, In: Root, Path: ".github/hooks/*.json", Powers: Starts, Trust: Folder, Does: aHook},
	{Kind: Hooks, In: Home, Path: "hooks/*.json", Powers: Starts, Trust: Own, Does: aHook},
	{Kind: Hooks, In: Plugin, Path: "hooks.json", Powers: Starts, Trust: Folder, Does: aHook},
	{Kind: Hooks, In: Plugin, Path: "hooks/hooks.json", Powers: Starts, Trust: Folder, Does: aHook},

	{Kind: Servers, In: UserHome, Path: ".copilot/mcp-config.json", Powers: Starts | Sends, Trust: Own, Does: aServer + "; only read"},
	{Kind: Servers, In: Home, Path: "mcp-config.json", Powers: Starts | Sends, Trust: Own, Does: aServer},
	{Kind: Servers, In: Root, Path: editorServers, Powers: Starts | Sends, Trust: Folder, Does: aServer},
	{Kind: Servers, In: Way, Path: ".mcp.json", Powers: Starts | Sends, Trust: Folder, Does: aServer},
	{Kind: Servers, In: Plugin, Path: ".mcp.json", Powers: Starts | Sends, Trust: Installed, Does: aServer},

	{Kind: Settings, In: Way, Path: SettingsFile, Powers: Sets, Trust: Folder, Does: "chooses models of the user's provider; what makes things stricter counts without trust"},
	{Kind: Settings, In: Config, Path: "sidestick/config.jsonc", Powers: Starts | Grants | Sends | Sets, Trust: Own, Does: "every setting"},
	{Kind: Settings, In: Home, Path: "settings.json", Powers: Sets, Trust: Own, Does: "settings that clients change for the user, such as whether hooks run"},

	{Kind: Brought, In: Root, Path: ".claude/settings.json", Powers: Starts | Grants | Sets, Trust: Folder, Does: aBrought},
	{Kind: Brought, In: Root, Path: ".claude/settings.local.json", Powers: Starts | Grants | Sets, Trust: Folder, Does: aBrought},
	{Kind: Brought, In: Root, Path: ".github/copilot/settings.json", Powers: Starts, Trust: Folder, Does: hasHooks},
	{Kind: Brought, In: Root, Path: ".github/copilot/settings.local.json", Powers: Starts, Trust: Folder, Does: hasHooks},

	{Kind: Plugins, In: Plugin, Path: "plugin.json", Powers: Grants, Trust: Folder, Does: aManifest},
	{Kind: Plugins, In: Plugin, Path: ".github/plugin/plugin.json", Powers: Grants, Trust: Folder, Does: aManifest},
	{Kind: Plugins, In: Plugin, Path: ".claude-plugin/plugin.json", Powers: Grants, Trust: Folder, Does: aManifest},
	{Kind: Plugins, In: Plugin, Path: ".lsp.json", Trust: Nobody, Does: "a part that has no effect in this version, and is named"},
	{Kind: Plugins, In: Plugin, Path: "extensions", Trust: Nobody, Does: "a part that has no effect in this version, and is named"},
	{Kind: Plugins, In: Home, Path: "plugins.json", Powers: Starts | Grants | Sends, Trust: Own, Does: "the plugins that the user has installed, and the marketplaces"},
	{Kind: Marketplaces, In: Market, Path: "marketplace.json", Trust: Nobody, Does: aCatalogue},
	{Kind: Marketplaces, In: Market, Path: ".github/plugin/marketplace.json", Trust: Nobody, Does: aCatalogue},
	{Kind: Marketplaces, In: Market, Path: ".claude-plugin/marketplace.json", Trust: Nobody, Does: aCatalogue},

	{Kind: Repository, In: Way, Path: GitFolder, Powers: Sets, Trust: Owner, Does: aRepository, Plain: gitKnows},
	{Kind: Repository, In: Way, Path: ".git/HEAD", Trust: Owner, Does: "the branch that is shown"},
	{Kind: Repository, In: Way, Path: ".git/commondir", Trust: Owner, Does: "where the settings of a worktree are"},
	{Kind: Repository, In: Way, Path: ".git/config", Trust: Owner, Does: "the remote that is shown; the program runs nothing that it names"},

	{Kind: State, In: Home, Path: "permissions.json", Powers: Grants, Trust: Own, Does: "approvals, and the folders that are trusted"},
	{Kind: State, In: Home, Path: "session.key", Powers: Grants | Secret, Trust: Own, Does: "the key by which this machine knows its own sessions"},
	{Kind: State, In: Home, Path: "skills.json", Powers: Sets, Trust: Own, Does: "skills that the user has turned off"},
	{Kind: State, In: Home, Path: "models.json", Powers: Sets, Trust: Own, Does: "limits and prices of models"},
	{Kind: State, In: Home, Path: "windows.json", Powers: Sets, Trust: Own, Does: "windows of models that servers have said, or errors have named"},
	{Kind: State, In: Home, Path: "keys.json", Powers: Starts | Secret, Trust: Own, Does: "keys of providers, and programs that print one"},
	{Kind: State, In: Home, Path: "mcp-tokens.json", Powers: Sends | Secret, Trust: Own, Does: "tokens for MCP servers"},
	{Kind: State, In: Home, Path: "extension.key", Powers: Secret, Trust: Own, Does: "the key that signs calls of Copilot Extensions agents"},
	{Kind: State, In: Home, Path: "quarantine/**", Powers: Grants, Trust: Own, Does: "what commands have made and what was moved aside, and what the user has taken back"},
	{Kind: State, In: Home, Path: "session-grants/**", Powers: Grants, Trust: Own, Does: "what the user has allowed in each session"},
	{Kind: State, In: Home, Path: "session-state/**", Powers: Grants, Trust: Own, Does: "the sessions"},
	{Kind: State, In: Home, Path: "unsaved/**", Powers: Grants, Trust: Own, Does: "the sessions of runs that keep none, while they run"},
	{Kind: State, In: Home, Path: "catalog.db*", Trust: Own, Does: "the list of the sessions"},
	{Kind: State, In: Home, Path: "plugins/**", Powers: Starts | Grants | Sends, Trust: Own, Does: "copies of the repositories of plugins"},
	{Kind: State, In: Home, Path: "sandbox/**", Powers: Starts, Trust: Own, Does: "caches of compilers, which commands in a sandbox use"},
	{Kind: State, In: Home, Path: "history", Trust: Own, Does: "the messages that the user has typed"},
	{Kind: State, In: Home, Path: "drafts/**", Trust: Own, Does: "texts of input boxes that were not sent when the program ended"},
	{Kind: State, In: Home, Path: "*.lock", Trust: Own, Does: "locks, which are empty"},
}
