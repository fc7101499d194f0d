package fact

// The names of the tools.
const (
	Bash       = "bash"
	ReadBash   = "read_bash"
	WriteBash  = "write_bash"
	StopBash   = "stop_bash"
	ListBash   = "list_bash"
	View       = "view"
	Edit       = "edit"
	Create     = "create"
	Grep       = "grep"
	Glob       = "glob"
	WebFetch   = "web_fetch"
	Skill      = "skill"
	SQL        = "sql"
	Task       = "task"
	ReadAgent  = "read_agent"
	ListAgents = "list_agents"
	WriteAgent = "write_agent"

	ListMCPResources = "list_mcp_resources"
	ReadMCPResource  = "read_mcp_resource"

	AskUser      = "ask_user"
	ExitPlanMode = "exit_plan_mode"
	TaskComplete = "task_complete"
	ToolSearch   = "tool_search_tool"

	// Confirmation is the call with which an agent of Copilot Extensions that is the model of a session asks its
	// user to confirm something.
	Confirmation = "copilot_confirmation"
)

// tools has a row for each tool.
var tools = [...]Tool{
	{
		Name: Bash, Windows: "powershell", Does: Shell, Taping: Recorded, Small: true,
		Rule: "shell", Skills: []string{"bash", "Bash"}, Groups: []string{"execute", "shell", "bash", "powershell"}, State: WhileItRuns,
		Title: Title{Verb: "$", Subject: []string{"command"}, Tail: FirstLine}, Result: OfCommand,
	},
	{
		Name: ReadBash, Windows: "read_powershell", Does: Console, Taping: Recorded, Small: true,
		Groups: []string{"execute", "shell", "bash", "powershell", "bashoutput"}, State: WhileItRuns,
		Title: Title{Verb: "read shell", Subject: []string{"shellId"}}, Result: OfCommand,
	},
	{
		Name: WriteBash, Windows: "write_powershell", Does: Console, Taping: Recorded,
		Rule: "shell", Groups: []string{"execute", "shell", "bash", "powershell"}, State: WhileItRuns,
		Title: Title{Verb: "type into shell", Subject: []string{"shellId"}, Label: ": ", About: []string{"input"}}, Result: OfCommand,
	},
	{
		Name: StopBash, Windows: "stop_powershell", Does: Console, Taping: Recorded, Small: true,
		Groups: []string{"execute", "shell", "bash", "powershell", "killshell", "killbash"},
		Title:  Title{Verb: "stop shell", Subject: []string{"shellId"}}, Result: OfCommand,
	},
	{
		Name: ListBash, Windows: "list_powershell", Does: Console, Taping: Recorded,
		Groups: []string{"execute", "shell", "bash", "powershell"}, State: AlwaysState,
		Title: Title{Verb: "list shells"},
	},
	{
		Name: View, Does: Read, Taping: Recorded, Small: true, Repeatable: true,
		Rule: "read", Skills: []string{"view", "Read", "LS"}, Groups: []string{"read", "notebookread"}, State: Contents,
		Title: Title{Verb: "view", Subject: []string{"path"}, Tail: Range}, Result: NumberedRows,
	},
	{
		Name: Edit, Does: Write, Taping: Recorded, Small: true,
		Rule: "write", Skills: []string{"edit", "Edit", "MultiEdit", "NotebookEdit"},
		Groups: []string{"edit", "write", "multiedit", "notebookedit"}, State: Contents,
		Title: Title{Verb: "edit", Subject: []string{"path"}, Tail: Changes}, Result: Diff,
	},
	{
		Name: Create, Does: Write, Taping: Recorded, Small: true,
		Rule: "write", Skills: []string{"create", "Write"},
		Groups: []string{"edit", "write", "multiedit", "notebookedit"}, State: Contents,
		Title: Title{Verb: "create", Subject: []string{"path"}, Tail: Lines}, Result: Diff,
	},
	{
		Name: Grep, Does: Search, Taping: Recorded, Small: true, Repeatable: true,
		Rule: "read", Skills: []string{"grep", "Grep"}, Groups: []string{"search", "grep"}, State: Contents,
		Title: Title{Verb: "grep", Subject: []string{"pattern"}, Label: " in ", About: []string{"path", "glob"}}, Result: CountedLines,
	},
	{
		Name: Glob, Does: Search, Taping: Recorded, Small: true, Repeatable: true,
		Rule: "read", Skills: []string{"glob", "Glob"}, Groups: []string{"search", "glob", "ls"}, State: Contents,
		Title: Title{Verb: "glob", Subject: []string{"pattern"}, Label: " in ", About: []string{"path"}}, Result: CountedFiles,
	},
	{
		Name: WebFetch, Does: Fetch, Taping: Recorded, Repeatable: true,
		Rule: "url", Skills: []string{"web_fetch", "WebFetch"}, Groups: []string{"web", "webfetch"},
		Title: Title{Verb: "fetch", Subject: []string{"url"}},
	},
	{
		Name: Skill, Does: Load, Taping: Live, Offered: HasSkills, Trusted: true, Repeatable: true, Groups: []string{"skill"},
		Title: Title{Verb: "skill", Subject: []string{"skill"}},
	},
	{
		Name: SQL, Does: Store, Taping: Live, Trusted: true, Groups: []string{"todo", "todowrite", "todoread", "taskcreate", "taskget", "tasklist", "taskupdate"},
		Title: Title{Verb: "sql:", Subject: []string{"description", "query"}},
	},
	{
		Name: Task, Does: Agent, Taping: Live, Offered: StartsAgent, Trusted: true, Groups: []string{"agent", "custom-agent", "task"},
		Title: Title{Verb: "agent", Subject: []string{"name", "agent_type"}, Label: ": ", About: []string{"description"}},
	},
	{
		Name: ReadAgent, Does: Agent, Taping: Live, Offered: HasAgents, Trusted: true, Repeatable: true,
		Groups: []string{"agent", "custom-agent", "task"}, State: AlwaysState,
		Title: Title{Verb: "read agent", Subject: []string{"agent_id"}},
	},
	{
		Name: ListAgents, Does: Agent, Taping: Live, Offered: HasAgents, Trusted: true, Repeatable: true,
		Groups: []string{"agent", "custom-agent", "task"}, State: AlwaysState,
	},
	{
		Name: WriteAgent, Does: Agent, Taping: Live, Offered: HasAgents, Trusted: true, Groups: []string{"agent", "custom-agent", "task"},
		Title: Title{Verb: "tell agent", Subject: []string{"agent_id"}},
	},
	{
		Name: ListMCPResources, Does: Resource, Taping: Recorded, Offered: HasResources, Repeatable: true,
		Title: Title{Verb: "list resources of", Subject: []string{"server"}}, Result: CountedLines,
	},
	{
		Name: ReadMCPResource, Does: Resource, Taping: Recorded, Offered: HasResources, Repeatable: true,
		Title: Title{Verb: "read", Subject: []string{"uri"}, Label: " of ", About: []string{"server"}}, Result: CountedLines,
	},
	{
		Name: AskUser, Does: Ask, Taping: Live, Offered: AsksUser, Trusted: true, Repeatable: true, Groups: []string{"askuserquestion"},
		Title: Title{Verb: "asks:", Subject: []string{"question"}},
	},
	{
		Name: ExitPlanMode, Does: Plan, Taping: Live, Offered: InPlanMode, Trusted: true, Repeatable: true, Groups: []string{"exitplanmode"},
		Title: Title{Verb: "presents a plan"}, // the question shows the plan
	},
	{
		Name: TaskComplete, Does: Done, Taping: Live, Offered: MainOnly, Trusted: true,
		Title: Title{Verb: "task complete"}, Result: Nothing, // the summary is a row of its own
	},
	{
		Name: ToolSearch, Does: Find, Taping: Live, Offered: ToolsDeferred, Trusted: true, Repeatable: true,
		Title: Title{Verb: "find tools:", Subject: []string{"query"}},
	},

	{
		Name: Confirmation, Foreign: true, Does: Confirm, Taping: Live,
		Title: Title{Verb: "confirmation:", Subject: []string{"title", "message"}},
	},
	{
		Name: "report_intent", Foreign: true, Does: Intent,
		Title: Title{Verb: "intent:", Subject: []string{"intent"}},
	},
	{Name: "apply_patch", Foreign: true, Does: Write},
}
