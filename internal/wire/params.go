package wire

import (
	"encoding/json"

	"github.com/github/copilot-sdk/go/rpc"
)

// Config is what session.create and session.resume have in common and this
// runtime acts on. Clients send many more fields; unknown ones are ignored, as
// the protocol demands. Pointers tell absent and null (both nil) from set.
type Config struct {
	SessionID         string            `json:"sessionId"`
	ClientName        string            `json:"clientName"`
	Model             string            `json:"model"`
	ReasoningEffort   string            `json:"reasoningEffort"`
	ReasoningSummary  string            `json:"reasoningSummary"`
	Streaming         *bool             `json:"streaming"`
	Provider          *Provider         `json:"provider"`
	Tools             []Tool            `json:"tools"`
	AvailableTools    []string          `json:"availableTools"` // nil all, [] none
	ExcludedTools     []string          `json:"excludedTools"`
	FilterPrecedence  string            `json:"toolFilterPrecedence"` // "excluded", else the allowlist wins
	SystemMessage     *SystemMessageSet `json:"systemMessage"`
	RequestPermission *bool             `json:"requestPermission"`
	RequestUserInput  *bool             `json:"requestUserInput"`
	RequestExitPlan   *bool             `json:"requestExitPlanMode"`
	Hooks             *bool             `json:"hooks"` // the client answers hooks.invoke
	DefaultAgent      *DefaultAgent     `json:"defaultAgent"`
	CustomAgents      []CustomAgent     `json:"customAgents"`
	Agent             string            `json:"agent"` // the one of CustomAgents to begin with
	// Instructions and skills: where else they are looked for, and what of them counts.
	InstructionDirectories   []string          `json:"instructionDirectories"`
	OrganizationInstructions string            `json:"organizationCustomInstructions"`
	SkipCustomInstructions   *bool             `json:"skipCustomInstructions"`
	SkillDirectories         []string          `json:"skillDirectories"`
	DisabledSkills           []string          `json:"disabledSkills"`
	EnableSkills             *bool             `json:"enableSkills"`          // default true
	EnableConfigDiscovery    *bool             `json:"enableConfigDiscovery"` // look into the project too
	EnableFileHooks          *bool             `json:"enableFileHooks"`       // absent: if the folder is trusted
	LargeOutput              *LargeOutput      `json:"largeOutput"`
	SessionLimits            *SessionLimits    `json:"sessionLimits"`
	Budget                   *Budget           `json:"budget"` // an extension of ours
	WorkingDirectory         string            `json:"workingDirectory"`
	GitOperations            *bool             `json:"enableHostGitOperations"`
	InfiniteSessions         *InfiniteSessions `json:"infiniteSessions"`
	ModelCapabilities        *Capabilities     `json:"modelCapabilities"`
	GitHubToken              string            `json:"gitHubToken"`
	// MoreDirectories are further working directories; relative ones are relative to
	// the working directory.
	MoreDirectories []string `json:"additionalDirectories"`
	// Providers and Models are the registry of several providers, which this runtime
	// does not have yet; sending them is an error.
	Providers []json.RawMessage `json:"providers"`
	Models    []json.RawMessage `json:"models"`

	// Remote reports that the client is on another machine. It is not a parameter; the
	// server sets it.
	Remote bool `json:"-"`

	// Of session.resume only.
	DisableResume       bool `json:"disableResume"`       // no session.resume event
	ContinuePendingWork bool `json:"continuePendingWork"` // keep waits of before open
}

// Provider is the endpoint a session brings with it. It is never persisted:
// a resume must bring it again.
type Provider struct {
	Type            string            `json:"type"` // "openai" (default), "azure", "anthropic"
	WireAPI         string            `json:"wireApi"`
	BaseURL         string            `json:"baseUrl"`
	APIKey          string            `json:"apiKey"`
	BearerToken     string            `json:"bearerToken"` // beats APIKey
	Headers         map[string]string `json:"headers"`
	ModelID         string            `json:"modelId"`
	WireModel       string            `json:"wireModel"`
	MaxPromptTokens int               `json:"maxPromptTokens"`
	MaxOutputTokens int               `json:"maxOutputTokens"`
	HasTokenSource  bool              `json:"hasBearerTokenProvider"`
}

// Tool is a tool that a client defines and runs itself.
type Tool struct {
	Name           string          `json:"name"`
	Description    string          `json:"description"`
	Parameters     json.RawMessage `json:"parameters"` // JSON Schema; absent or null: no arguments
	Overrides      bool            `json:"overridesBuiltInTool"`
	SkipPermission bool            `json:"skipPermission"`
	Terminal       bool            `json:"isTerminal"` // success ends the run
}

// SystemMessageSet changes the runtime's own system message.
type SystemMessageSet struct {
	Mode     string                     `json:"mode"` // "append" (default), "replace", "customize"
	Content  string                     `json:"content"`
	Sections map[string]SectionOverride `json:"sections"` // customize only
}

// SectionOverride changes one section of the system message.
type SectionOverride struct {
	Action  string `json:"action"` // replace, remove, append, prepend, preserve, transform
	Content string `json:"content"`
}

// CustomAgent is an agent that a client defines. Package agent says what its fields
// mean.
type CustomAgent struct {
	Name            string                     `json:"name"`
	DisplayName     string                     `json:"displayName"`
	Description     string                     `json:"description"`
	Prompt          string                     `json:"prompt"`
	Tools           []string                   `json:"tools"` // nil all, [] none
	MCPServers      map[string]json.RawMessage `json:"mcpServers"`
	Infer           *bool                      `json:"infer"`  // default true
	Skills          []string                   `json:"skills"` // the agent reads them whole from its start
	Model           string                     `json:"model"`  // empty: the session's
	ReasoningEffort string                     `json:"reasoningEffort"`
}

// DefaultAgent restricts the main agent, not its sub-agents.
type DefaultAgent struct {
	ExcludedTools []string `json:"excludedTools"`
}

// LargeOutput sets the size from which a tool's result goes to a file.
type LargeOutput struct {
	Enabled      *bool  `json:"enabled"`      // default true
	MaxSizeBytes int    `json:"maxSizeBytes"` // 0: 50 KiB
	OutputDir    string `json:"outputDir"`    // empty: temp/ in the session's folder
}

// SessionLimits bounds the cost of a session at the GitHub service.
type SessionLimits struct {
	MaxAICredits float64 `json:"maxAiCredits"` // 0: unlimited
}

// Budget bounds what one run may use. Zero fields bound nothing.
type Budget struct {
	MaxTurns  int   `json:"maxTurns"`  // model calls
	MaxTokens int64 `json:"maxTokens"` // input and output of all its calls together
	TimeoutMs int64 `json:"timeoutMs"` // from the beginning of the run
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

// InfiniteSessions configures compaction. Enabled also decides whether a session has a
// workspace.
type InfiniteSessions struct {
	Enabled    *bool   `json:"enabled"`                       // default true
	Background float64 `json:"backgroundCompactionThreshold"` // share of the window; 0: 0.80
	Exhaustion float64 `json:"bufferExhaustionThreshold"`     // the same, for compacting at once; 0: 0.95
}

// Capabilities overrides what a model can do, field by field.
type Capabilities = rpc.ModelCapabilitiesOverride

// Created answers session.create and session.resume.
type Created struct {
	SessionID     string              `json:"sessionId"`
	WorkspacePath string              `json:"workspacePath,omitempty"`
	Capabilities  SessionCapabilities `json:"capabilities"`
}

// SessionCapabilities tells a client what the other clients of a session can do.
type SessionCapabilities struct {
	UI struct {
		Elicitation bool `json:"elicitation"`
	} `json:"ui"`
}

// Send is the parameters of session.send.
type Send struct {
	Prompt         string            `json:"prompt"`
	DisplayPrompt  string            `json:"displayPrompt"`
	Attachments    json.RawMessage   `json:"attachments"` // kept verbatim in user.message
	Mode           string            `json:"mode"`        // "enqueue" (default), "immediate"
	AgentMode      string            `json:"agentMode"`
	Source         string            `json:"source"`
	RequestHeaders map[string]string `json:"requestHeaders"`
}

// Sent answers session.send.
type Sent struct {
	MessageID string `json:"messageId"`
}

// Success is the result of the many methods that either succeed or fail. Error is empty
// on success.
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

// SessionContext is the directory and repository in which a session works.
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

// Status answers status.get; Connected answers connect; Pong answers ping.
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

// AuthStatus answers auth.getStatus.
type AuthStatus struct {
	IsAuthenticated bool   `json:"isAuthenticated"`
	AuthType        string `json:"authType,omitempty"`
	Host            string `json:"host,omitempty"`
	Login           string `json:"login,omitempty"`
	StatusMessage   string `json:"statusMessage,omitempty"`
}

// PendingPermissions answers session.permissions.pendingRequests.
type PendingPermissions struct {
	Items []PendingPermission `json:"items"`
}

// PendingPermission is one request without an answer yet.
type PendingPermission struct {
	RequestID string          `json:"requestId"`
	Request   json.RawMessage `json:"request"` // its promptRequest
}
