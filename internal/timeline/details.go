package timeline

import (
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// details is the fields of an event's data that people see.
type details struct {
	agent string // the sub-agent that the event belongs to; "" for the main agent
	Task  struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"task"`
	Content string `json:"content"`
	CutOff  struct {
		Content string `json:"content"`
		Omitted int64  `json:"omitted"`
	} `json:"cutOffAnswer"`
	DeltaContent  string `json:"deltaContent"`
	InputDelta    string `json:"inputDelta"`
	PartialOutput string `json:"partialOutput"`
	Progress      string `json:"progressMessage"`
	Message       string `json:"message"`
	Intent        string `json:"intent"`
	Reason        string `json:"reason"`
	Title         string `json:"title"`
	Summary       string `json:"summary"`
	TurnID        string `json:"turnId"`
	Model         string `json:"model"`
	NewModel      string `json:"newModel"`
	PreviousModel string `json:"previousModel"`
	Effort        string `json:"reasoningEffort"`
	NewMode       string `json:"newMode"`
	Mode          string `json:"mode"`
	ErrorMessage  string `json:"errorMessage"`
	ShutdownType  string `json:"shutdownType"`
	Operation     string `json:"operation"`
	Path          string `json:"path"`
	Name          string `json:"name"`
	ServerName    string `json:"serverName"`
	Status        string `json:"status"`
	AgentName     string `json:"agentName"`
	DisplayName   string `json:"agentDisplayName"`
	Description   string `json:"agentDescription"`
	Question      string `json:"question"`
	Answer        string `json:"answer"`
	Action        string `json:"selectedAction"`
	Outcome       string `json:"action"`
	Feedback      string `json:"feedback"`
	Cwd           string `json:"cwd"`
	ToolName      string `json:"toolName"`
	ToolCallID    string `json:"toolCallId"`
	RequestID     string `json:"requestId"`
	HookType      string `json:"hookType"`
	From          string `json:"source"`

	Instructions []string `json:"instructionIds"`

	Success      *bool  `json:"success"`
	Approved     *bool  `json:"approved"`
	Aborted      bool   `json:"aborted"`
	Canceled     bool   `json:"cancelled"`
	Continuation bool   `json:"isAutopilotContinuation"`
	ByHook       bool   `json:"resolvedByHook"`
	Changed      string `json:"definitionChanged"`
	Sandboxed    bool   `json:"sandboxed"`

	EventCount       int64    `json:"eventCount"`
	InputTokens      int64    `json:"inputTokens"`
	OutputTokens     int64    `json:"outputTokens"`
	CacheReadTokens  int64    `json:"cacheReadTokens"`
	CacheWriteTokens int64    `json:"cacheWriteTokens"`
	Cost             *float64 `json:"cost"`
	Own              bool     `json:"isByok"`
	CurrentTokens    int64    `json:"currentTokens"`
	TokenLimit       int64    `json:"tokenLimit"`
	LimitSource      string   `json:"tokenLimitSource"`
	SystemTokens     int64    `json:"systemTokens"`
	ToolTokens       int64    `json:"toolDefinitionsTokens"`
	TalkTokens       int64    `json:"conversationTokens"`
	PreTokens        int64    `json:"preCompactionTokens"`
	PostTokens       int64    `json:"postCompactionTokens"`
	RemovedTokens    int64    `json:"tokensRemovedDuringTruncation"`
	Bytes            int64    `json:"totalResponseSizeBytes"`
	ToolCalls        int64    `json:"totalToolCalls"`
	TotalTokens      int64    `json:"totalTokens"`

	Choices      []string        `json:"choices"`
	Attachments  []attachment    `json:"attachments"`
	Context      place           `json:"context"`
	Arguments    json.RawMessage `json:"arguments"`
	ToolRequests []struct {
		Name string `json:"name"`
	} `json:"toolRequests"`
	Result struct {
		Content  string `json:"content"`         // of a tool
		Detailed string `json:"detailedContent"` // of a tool, for people
		Kind     string `json:"kind"`            // of a permission
		Feedback string `json:"feedback"`        // of a permission
		Message  string `json:"message"`         // of a permission
	} `json:"result"`
	Shell struct {
		ExitCode *int `json:"exitCode"`
	} `json:"shellExecution"`
	Error             failure         `json:"error"`
	PermissionRequest json.RawMessage `json:"permissionRequest"`
	Citations         struct {
		Sources []struct {
			Title string `json:"title"`
			URL   string `json:"url"`
			Path  string `json:"path"`
		} `json:"sources"`
	} `json:"citations"`
}

// attachment is something that the user has attached to a message.
type attachment struct {
	Type     string `json:"type"`
	Path     string `json:"path"`
	Name     string `json:"displayName"`
	FilePath string `json:"filePath"` // of a selection
}

type place struct {
	Cwd string `json:"cwd"`
}

// failure is an error in either form: an object with a message, or the message.
type failure string

// UnmarshalJSON accepts both forms; of any other form it keeps nothing.
func (f *failure) UnmarshalJSON(data []byte) error {
	var object struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(data, &object) == nil {
		*f = failure(object.Message)
		return nil
	}
	var text string
	_ = json.Unmarshal(data, &text)
	*f = failure(text)
	return nil
}

// read decodes the fields that it can. Events of other runtimes and of unknown types give
// fewer fields, and no error.
func read(e wire.Event) details {
	var d details
	_ = json.Unmarshal(e.Data, &d)
	return d
}

func isTrue(b *bool) bool { return b != nil && *b }
