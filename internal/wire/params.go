package wire

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"time"

	"github.com/github/copilot-sdk/go/rpc"
)

// Config has the fields that session.create and session.resume have in common and that this
// runtime uses. Clients send many more; unreadsettings.go has those and why they have no effect. A nil
// pointer means that the field is absent or null.
type Config struct {
	SessionID         string            `json:"sessionId"`
	ClientName        string            `json:"clientName"`
	Name              *string           `json:"name"` // of the session; nil leaves it as it is
	Model             string            `json:"model"`
	ReasoningEffort   string            `json:"reasoningEffort"`
	ReasoningSummary  string            `json:"reasoningSummary"`
	Summaries         *bool             `json:"enableReasoningSummaries"` // without ReasoningSummary: false stands for "none", true for "auto"
	Streaming         *bool             `json:"streaming"`
	Provider          *Provider         `json:"provider"`
	Tools             []Tool            `json:"tools"`
	AvailableTools    []string          `json:"availableTools"` // nil: all; []: none
	ExcludedTools     []string          `json:"excludedTools"`
	FilterPrecedence  string            `json:"toolFilterPrecedence"` // "excluded"; otherwise the list of available tools takes precedence
	SystemMessage     *SystemMessageSet `json:"systemMessage"`
	RequestPermission *bool             `json:"requestPermission"`
	RequestUserInput  *bool             `json:"requestUserInput"`
	RequestExitPlan   *bool             `json:"requestExitPlanMode"`
	Hooks             *bool             `json:"hooks"` // the client implements hooks.invoke
	DefaultAgent      *DefaultAgent     `json:"defaultAgent"`
	CustomAgents      []CustomAgent     `json:"customAgents"`
	Agent             string            `json:"agent"` // the agent in CustomAgents to start with
	ExcludedAgents    []string          `json:"excludedBuiltinAgents"`
	IncludedAgents    []string          `json:"includedBuiltinAgents"` // nil: leaves the list as it is; at first all
	SuppressPrompt    *bool             `json:"suppressCustomAgentPrompt"`
	SubagentDeltas    *bool             `json:"includeSubAgentStreamingEvents"` // default true
	// Where to look for instructions and skills, and which to use.
	InstructionDirectories   []string `json:"instructionDirectories"`
	OrganizationInstructions *string  `json:"organizationCustomInstructions"`
	SkipCustomInstructions   *bool    `json:"skipCustomInstructions"`     // kept in the log
	DisabledInstructions     []string `json:"disabledInstructionSources"` // their ids
	SkillDirectories         []string `json:"skillDirectories"`
	AgentDirectories         []string `json:"agentDirectories"`
	DisabledSkills           []string `json:"disabledSkills"`
	PluginDirectories        []string `json:"pluginDirectories"`
	EnableSkills             *bool    `json:"enableSkills"`          // default true
	EnableConfigDiscovery    *bool    `json:"enableConfigDiscovery"` // search the project too
	// InstalledPlugins takes the place of the plugins that the user has installed; nil leaves
	// it as it is. Only an empty list can be sent.
	InstalledPlugins  []json.RawMessage `json:"installedPlugins"`
	EnableFileHooks   *bool             `json:"enableFileHooks"` // absent: only if the folder is trusted
	LargeOutput       *LargeOutput      `json:"largeOutput"`
	ToolSearch        *ToolSearch       `json:"toolSearch"`
	SessionLimits     *SessionLimits    `json:"sessionLimits"`
	Autopilot         *Autopilot        `json:"autopilot"`
	Budget            *Budget           `json:"budget"`         // a field of this program
	FallbackModels    []string          `json:"fallbackModels"` // a field of this program; nil: those of the process
	WorkingDirectory  string            `json:"workingDirectory"`
	AllowRecovery     *bool             `json:"allowTranscriptRecovery"` // false: a resume of a damaged log fails
	TrackFiles        *bool             `json:"enableFileChangeTracking"`
	Commands          []Command         `json:"commands"` // slash commands that the client carries out
	GitOperations     *bool             `json:"enableHostGitOperations"`
	InfiniteSessions  *InfiniteSessions `json:"infiniteSessions"`
	EnableCitations   *bool             `json:"enableCitations"` // of documents, where the model has them
	ModelCapabilities *Capabilities     `json:"modelCapabilities"`
	GitHubToken       string            `json:"gitHubToken"`
	// GitHubTokenRegistration is set if the client gives tokens when it is asked with gitHubToken.getToken.
	GitHubTokenRegistration string           `json:"gitHubTokenProviderRegistrationId"`
	ManagedSettings         *ManagedSettings `json:"managedSettings"`
	// MoreDirectories are further working directories. Relative paths are relative to the
	// working directory.
	MoreDirectories []string `json:"additionalDirectories"`
	// PendingPermissions is a field of this program: "deny" (default) denies a permission request
	// at once if no attached client decides; "wait" keeps it open until a client does.
	PendingPermissions string      `json:"pendingPermissions"`
	Capi               CapiOptions `json:"capi"`
	// The MCP servers of the session, by name. Package mcp documents their fields.
	MCPServers  map[string]json.RawMessage `json:"mcpServers" sent:"MCPServer"`
	DisabledMCP []string                   `json:"disabledMcpServers"` // nil: leaves the list as it is
	// DisabledInFiles are the servers that files of the user disable. It is not a parameter; package session
	// sets it.
	DisabledInFiles []string `json:"-"`
	EnvValueMode    string   `json:"envValueMode"` // "indirect": env of MCP servers names variables; otherwise it has values
	RequestMCPApps  *bool    `json:"requestMcpApps"`
	// TokenStorage is where tokens for MCP servers are kept: "persistent", in the home folder, or
	// "in-memory" (default), until the session leaves memory.
	TokenStorage string `json:"mcpOAuthTokenStorage"`
	// GitHubMCP asks for GitHub's MCP server; nil: the session has none.
	GitHubMCP *GitHubMCP `json:"githubMcpToolConfig"`
	// ClientDocument is the address of a document about the program, for signing in to MCP servers.
	ClientDocument string `json:"authClientIdMetadataUrl"`
	// OnlyMCPServers says that no files add to MCPServers. It is not a parameter.
	OnlyMCPServers bool `json:"-"`
	// MCPProblems says which files with MCP servers cannot be read. It is not a parameter.
	MCPProblems []string `json:"-"`
	// Providers and Models are named providers and models of them, which the session can
	// choose as "provider/id". They cannot be combined with Provider.
	Providers []NamedProvider `json:"providers"`
	Models    []ProviderModel `json:"models"`

	// Canvases are areas that the client draws, under the name of CanvasProvider or, without
	// one, of ExtensionInfo.
	Canvases       []CanvasDeclared `json:"canvases"`
	CanvasProvider *CanvasProvider  `json:"canvasProvider"`
	ExtensionInfo  *ExtensionInfo   `json:"extensionInfo"`

	// How the commands of the session are confined; Sandbox is another name of the same.
	SandboxConfig *SandboxConfig `json:"sandboxConfig"`
	Sandbox       *SandboxConfig `json:"sandbox"`

	// Unread are the settings that the client has sent and that have no effect. It is not a
	// parameter; the server sets it.
	Unread Unread `json:"-"`
	// ForwardTelemetry has the server send usage events to this connection.
	ForwardTelemetry *bool `json:"enableGitHubTelemetryForwarding"`

	// By has brought the configuration, and TokenBy GitHubToken: owners of credentials, as those of
	// package model. They are not parameters; the server sets them.
	By, TokenBy string `json:"-"`

	// GitHubTokens returns the GitHub token of now, which GitHubToken was at first; nil if that does not change. It is
	// not a parameter; the server sets it.
	GitHubTokens func(ctx context.Context) (string, error) `json:"-"`

	// HasSkillProvider says whether the client gives skills when it is asked with skillProvider.list, and SkillProvider
	// asks it. That is not a parameter; the server sets it.
	HasSkillProvider *bool         `json:"hasSkillProvider"`
	SkillProvider    SkillProvider `json:"-"`

	// Account is the user of GitHubToken. It is not a parameter; the server sets it.
	Account *Account `json:"-"`

	RequestElicitation *bool  `json:"requestElicitation"`
	RequestSwitch      *bool  `json:"requestAutoModeSwitch"`
	SwitchAlways       *bool  `json:"continueOnAutoMode"` // go on with another model after a rate limit, without asking
	AskUserDisabled    *bool  `json:"askUserDisabled"`
	AskUserVariant     string `json:"askUserVariant"` // "elicitation": the model asks with forms; otherwise "legacy"

	// AllAgents removes the list of IncludedAgents. It is not a parameter of its own; only
	// session.options.update sets it, for null.
	AllAgents bool `json:"-"`

	// Remote reports whether the client is on another machine. It is not a parameter; the
	// server sets it.
	Remote bool `json:"-"`

	// Carrier returns what carries the model calls of an agent of the session, if the client
	// does that; nil: this program makes them itself. agentID is empty for the main agent. It is
	// not a parameter; the server sets it.
	Carrier func(sessionID, agentID string) Carrier `json:"-"`

	// Traceparent is the client's span that runs belong to whose messages name none, in the form of
	// W3C Trace Context.
	Traceparent string `json:"traceparent"`

	// The fields below are for session.resume only.
	DisableResume       bool `json:"disableResume"`       // emit no session.resume event
	ContinuePendingWork bool `json:"continuePendingWork"` // keep requests from before the resume open
	// HoldPendingWork is a field of this program for user interfaces. With ContinuePendingWork, and if
	// the session was not in memory, only questions are asked again: a run that was interrupted,
	// and queued messages, are held until the user goes on. It also holds a run that fails later, with
	// the messages that wait behind it, in session.create, too.
	HoldPendingWork bool `json:"holdPendingWork"`
	// ServerModel is a field of this program for user interfaces: the user has chosen Model among the
	// models of the server, also if the session has a model of the same name from a client's provider.
	ServerModel bool `json:"serverModel"`
}

// Autopilot says how often a run in autopilot is told to continue. It does not change the mode. A member
// that is absent keeps its value.
type Autopilot struct {
	Continues    *bool  `json:"continuationEnabled"` // false: the client continues the run itself
	MaxContinues *int64 `json:"maxContinues"`        // 0: never
}

// Carrier carries requests over HTTP. Key is the same for carriers that reach the same servers.
// Shows reports whether the client may be shown a credential that an owner has brought; owners are
// those of package model, as text.
type Carrier interface {
	http.RoundTripper
	Key() string
	Shows(owner string) bool
}

// Tool is a tool that a client defines and runs itself.
type Tool struct {
	Name           string          `json:"name"`
	Description    string          `json:"description"`
	Parameters     json.RawMessage `json:"parameters"` // JSON Schema; absent or null: no arguments
	Overrides      bool            `json:"overridesBuiltInTool"`
	SkipPermission bool            `json:"skipPermission"`
	Terminal       bool            `json:"isTerminal"` // a successful call ends the run
	Defer          string          `json:"defer"`      // "auto" (default) or "never"
}

// SystemMessageSet changes the runtime's own system message.
type SystemMessageSet struct {
	Mode     string                     `json:"mode"` // "append" (default), "replace", "customize"
	Content  string                     `json:"content"`
	Sections map[string]SectionOverride `json:"sections"` // for Mode "customize" only
}

// SectionOverride changes one section of the system message.
type SectionOverride struct {
	Action  string `json:"action"` // replace, remove, append, prepend, preserve, transform
	Content string `json:"content"`
}

// CustomAgent is an agent that a client defines. Package agent documents its fields.
type CustomAgent struct {
	Name            string                     `json:"name"`
	DisplayName     string                     `json:"displayName"`
	Description     string                     `json:"description"`
	Prompt          string                     `json:"prompt"`
	Tools           []string                   `json:"tools"` // nil: all; []: none
	MCPServers      map[string]json.RawMessage `json:"mcpServers" sent:"MCPServer"`
	Infer           *bool                      `json:"infer"`  // default true
	Skills          []string                   `json:"skills"` // the agent's instructions include them in full
	Model           string                     `json:"model"`  // empty: the session's model
	ReasoningEffort string                     `json:"reasoningEffort"`
}

// DefaultAgent restricts the main agent, not its sub-agents.
type DefaultAgent struct {
	ExcludedTools []string `json:"excludedTools"`
}

// LargeOutput sets the size above which a tool's result is saved to a file.
type LargeOutput struct {
	Enabled      *bool  `json:"enabled"`      // default true
	MaxSizeBytes int    `json:"maxSizeBytes"` // 0: 50 KiB
	OutputDir    string `json:"outputDir"`    // empty: temp/ in the session's folder
}

// ToolSearch says whether tools of MCP servers and clients are deferred, and from how many on.
type ToolSearch struct {
	Enabled        *bool  `json:"enabled"`        // default true
	DeferThreshold *int64 `json:"deferThreshold"` // more tools than these are deferred; nil: the default
}

// DeferNever is the value of defer and deferTools for tools that are never deferred. The other one is "auto".
const DeferNever = "never"

// SessionLimits bounds the cost of a session at the GitHub service.
type SessionLimits struct {
	MaxAICredits float64 `json:"maxAiCredits"` // 0: unlimited
}

// Budget limits one run. Zero fields mean no limit.
type Budget struct {
	MaxTurns  int   `json:"maxTurns"`  // model calls
	MaxTokens int64 `json:"maxTokens"` // input and output of all calls together
	TimeoutMs int64 `json:"timeoutMs"` // milliseconds from the beginning of the run
}

// Timeout is TimeoutMs, or the longest time that Go can count, some 292 years.
func (b *Budget) Timeout() time.Duration {
	return time.Duration(min(b.TimeoutMs, math.MaxInt64/int64(time.Millisecond))) * time.Millisecond
}

// UserInputAnswer is the user's answer to a question.
type UserInputAnswer struct {
	Answer      string `json:"answer"`
	WasFreeform bool   `json:"wasFreeform"`
}

// PlanAnswer is the user's decision on a plan.
type PlanAnswer struct {
	Approved       bool   `json:"approved"`
	SelectedAction string `json:"selectedAction"`
	Feedback       string `json:"feedback"`
}

// ElicitationAnswer is the user's answer to an elicitation. Content is a JSON object, nil
// without a form.
type ElicitationAnswer struct {
	Action  string          `json:"action"` // "accept", "decline" or "cancel"
	Content json.RawMessage `json:"content,omitempty"`
}

// Elicitation has the parameters of session.ui.elicitation.
type Elicitation struct {
	Message         string          `json:"message"`
	Mode            string          `json:"mode"` // "form" (default) or "url"
	RequestedSchema json.RawMessage `json:"requestedSchema"`
	URL             string          `json:"url"` // with the mode "url"
}

// InfiniteSessions configures compaction. Enabled also decides whether a session has a
// workspace. Background and Exhaustion are shares of the context window.
type InfiniteSessions struct {
	Enabled    *bool   `json:"enabled"`                       // default true
	Background float64 `json:"backgroundCompactionThreshold"` // share of the window; 0: 0.80
	Exhaustion float64 `json:"bufferExhaustionThreshold"`     // as Background, for a compaction before the next model call; 0: 0.95
}

// Capabilities overrides the capabilities of a model, field by field.
type Capabilities = rpc.ModelCapabilitiesOverride

// Created is the result of session.create and session.resume.
type Created struct {
	SessionID     string              `json:"sessionId"`
	WorkspacePath string              `json:"workspacePath,omitempty"`
	Capabilities  SessionCapabilities `json:"capabilities"`
}

// SessionCapabilities lists what the other clients of a session can do.
type SessionCapabilities struct {
	UI struct {
		Elicitation bool `json:"elicitation"`
		MCPApps     bool `json:"mcpApps,omitempty"`
	} `json:"ui"`
}

// Send has the parameters of session.send.
type Send struct {
	Prompt         string            `json:"prompt"`
	DisplayPrompt  string            `json:"displayPrompt"`
	Attachments    json.RawMessage   `json:"attachments"` // kept unchanged in user.message
	Mode           string            `json:"mode"`        // "enqueue" (default), "immediate"
	AgentMode      string            `json:"agentMode"`
	Source         string            `json:"source"`
	RequestHeaders map[string]string `json:"requestHeaders"`
	HeadersBy      string            `json:"-"`              // the owner of RequestHeaders; the server sets it
	ResponseFormat json.RawMessage   `json:"responseFormat"` // JSON Schema of the answer; nil: free text
	// Traceparent is the client's span that the run belongs to, in the form of W3C Trace Context.
	Traceparent string `json:"traceparent"`
	Prepend     bool   `json:"prepend"` // to the front of the queue
	Wait        bool   `json:"wait"`    // answer when the run has ended
}

// Sent is the result of session.send.
type Sent struct {
	MessageID string `json:"messageId"`
}

// SentAndAnswered is the result of session.sendAndWait. Source: the package copilot 1.0.27 for Python.
type SentAndAnswered struct {
	MessageID string `json:"messageId"`
	// Aborted is true for a run that was aborted, and for a message that was dropped before the model got it.
	Aborted bool `json:"aborted"`
	// CompletionEventID is the session.idle at which the run ended; nil if the run of another message followed at once.
	CompletionEventID *string `json:"completionEventId,omitempty"`
	// Response is the last assistant.message of the run, as it was sent; nil if there is none.
	Response json.RawMessage `json:"response,omitempty"`
}

// CompletionEvent is the data of the error of a session.sendAndWait whose run has failed: it names the session.error.
type CompletionEvent struct {
	ID string `json:"completionEventId"`
}

// Success is the result of the many methods that only succeed or fail. Error is empty on
// success.
type Success struct {
	Success bool   `json:"success"`
	Error   string `json:"error,omitempty"`
}

// SessionMetadata is one row of session.list.
type SessionMetadata struct {
	SessionID    string          `json:"sessionId"`
	StartTime    string          `json:"startTime"`
	ModifiedTime string          `json:"modifiedTime"`
	IsRemote     bool            `json:"isRemote"`
	Summary      string          `json:"summary,omitempty"`
	Context      *SessionContext `json:"context,omitempty"`
}

// SessionContext is the working directory of a session and its repository.
type SessionContext struct {
	Cwd        string `json:"cwd"`
	GitRoot    string `json:"gitRoot,omitempty"`
	Repository string `json:"repository,omitempty"` // owner/name
	Branch     string `json:"branch,omitempty"`
}

// Event returns the context as session.start and session.resume carry it.
func (c SessionContext) Event() *WorkingDirectory {
	w := &WorkingDirectory{Cwd: c.Cwd}
	for dst, src := range map[**string]string{&w.GitRoot: c.GitRoot, &w.Repository: c.Repository, &w.Branch: c.Branch} {
		if src != "" {
			*dst = &src
		}
	}
	return w
}

// Lifecycle is the session.lifecycle notification.
type Lifecycle struct {
	Type      string             `json:"type"`
	SessionID string             `json:"sessionId"`
	Metadata  *LifecycleMetadata `json:"metadata,omitempty"`
}

// The lifecycle types that a server without a terminal emits.
const (
	LifecycleCreated = "session.created"
	LifecycleUpdated = "session.updated"
	LifecycleDeleted = "session.deleted"
)

// LifecycleMetadata describes the session after the change.
type LifecycleMetadata struct {
	StartTime    string `json:"startTime"`
	ModifiedTime string `json:"modifiedTime"`
	Summary      string `json:"summary,omitempty"`
}

// Status is the result of status.get, Connected of connect, Pong of ping.
type (
	Status struct {
		Version         string `json:"version"`
		ProtocolVersion int    `json:"protocolVersion"`
	}
	Connected struct {
		OK              bool   `json:"ok"`
		ProtocolVersion int    `json:"protocolVersion"`
		Version         string `json:"version"`
	}
	Pong struct {
		Message         string `json:"message"`
		Timestamp       string `json:"timestamp"`
		ProtocolVersion int    `json:"protocolVersion"`
	}
)

// AuthStatus is the result of auth.getStatus.
type AuthStatus struct {
	IsAuthenticated bool   `json:"isAuthenticated"`
	AuthType        string `json:"authType,omitempty"`
	Host            string `json:"host,omitempty"`
	Login           string `json:"login,omitempty"`
	StatusMessage   string `json:"statusMessage,omitempty"`
}

// PendingPermissions is the result of session.permissions.pendingRequests.
type PendingPermissions struct {
	Items []PendingPermission `json:"items"`
}

// PendingPermission is one open permission request.
type PendingPermission struct {
	RequestID string          `json:"requestId"`
	Request   json.RawMessage `json:"request"` // its promptRequest
}

// StorageInfo is what a client says about a file or a folder that it keeps.
type StorageInfo struct {
	IsFile      bool          `json:"isFile"`
	IsDirectory bool          `json:"isDirectory"`
	Size        int64         `json:"size"`
	Mtime       StorageTime   `json:"mtime"`
	Error       *StorageError `json:"error"`
}

// StorageTime is a time in an answer of a client; zero if the client does not know it, for which SDKs send "".
type StorageTime struct{ time.Time }

// UnmarshalJSON implements [json.Unmarshaler].
func (t *StorageTime) UnmarshalJSON(text []byte) error {
	if string(text) == `""` {
		return nil
	}
	return t.Time.UnmarshalJSON(text)
}
