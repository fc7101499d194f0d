package wire

// This file has the fields of events that newer SDKs than ours have. Those SDKs say what the fields mean.

// Extended is the data of an event, and fields that its type does not have.
type Extended struct {
	Data
	more any
}

// With returns the data of an event with the fields of more, a struct of this file; data itself if none of them is set.
func With(data Data, more any) Data {
	if body, err := Marshal(more); err != nil || len(body) <= len("{}") {
		return data
	}
	return &Extended{Data: data, more: more}
}

// Plain is the data of an event without the fields that [With] has added.
func Plain(data Data) Data {
	if e, ok := data.(*Extended); ok {
		return e.Data
	}
	return data
}

// MarshalJSON encodes both as one object.
func (e *Extended) MarshalJSON() ([]byte, error) {
	body, err := Marshal(e.Data)
	if err != nil {
		return nil, err
	}
	more, err := Marshal(e.more)
	if err != nil {
		return nil, err
	}
	body = body[:len(body)-1]
	if len(body) > len("{") {
		body = append(body, ',')
	}
	return append(body, more[1:]...), nil
}

// ReasoningMore says which model call an assistant.reasoning belongs to.
type ReasoningMore struct {
	TurnID    string `json:"turnId,omitempty"`
	APICallID string `json:"apiCallId,omitempty"`
	Model     string `json:"model,omitempty"`
}

// ProviderOther is the providerType of a provider of the user that speaks another protocol than those of OpenAI and Anthropic.
const ProviderOther = "other"

// UsageMore says in assistant.usage what was called.
type UsageMore struct {
	// ProviderType is openai, azure, anthropic or [ProviderOther]; "" at the Copilot API.
	ProviderType     string `json:"providerType,omitempty"`
	ModelDisplayName string `json:"modelDisplayName,omitempty"`
	ResponseModel    string `json:"responseModel,omitempty"`    // as the provider has named it
	RequestBodyBytes int64  `json:"requestBodyBytes,omitempty"` // of the last request
}

// FailureMore says in model.call_failure what became of the last request.
type FailureMore struct {
	RetryAttempt *int `json:"retryAttempt,omitempty"` // from 0
	// IncompleteStreamReason is missing_finish_reason or no_chunks, and only in the dialect of chat completions.
	IncompleteStreamReason string `json:"incompleteStreamReason,omitempty"`
	StreamDoneReceived     *bool  `json:"streamDoneReceived,omitempty"`
	ProviderType           string `json:"providerType,omitempty"`
}

// ToolStartMore says in tool.execution_start what is known of the tool.
type ToolStartMore struct {
	ReadOnly             bool   `json:"readOnly,omitempty"` // the tool changes nothing; absent if that is not sure
	ToolTitle            string `json:"toolTitle,omitempty"`
	MCPServerDisplayName string `json:"mcpServerDisplayName,omitempty"`
}

// ToolCompleteMore says in tool.execution_complete what a built-in tool has changed.
type ToolCompleteMore struct {
	FileEdits []FileEdit `json:"fileEdits,omitempty"` // in the order of the changes
}

// FileEdit is a change of a file.
type FileEdit struct {
	Kind string `json:"kind"` // create or edit
	Path string `json:"path"` // absolute, with symbolic links resolved
}

// ErrorMore says in session.error what a provider has said, and which message was not answered.
type ErrorMore struct {
	ProviderErrorType    string `json:"providerErrorType,omitempty"`
	ProviderErrorParam   string `json:"providerErrorParam,omitempty"`
	OriginatingMessageID string `json:"originatingMessageId,omitempty"`
}

// WarningMore says in session.warning which message a hook has blocked.
type WarningMore struct {
	OriginatingMessageID string `json:"originatingMessageId,omitempty"`
}

// CompactionMore names the attempt in session.compaction_start and session.compaction_complete.
type CompactionMore struct {
	CompactionAttemptID string `json:"compactionAttemptId,omitempty"` // a UUID, the same in both events
}

// CompactionLost is the end of a compaction whose process has died. attempt is its id, "" if that is not known.
func CompactionLost(attempt string) Data {
	why := "the process that summarized the conversation has ended"
	return With(&CompactionComplete{Error: &why}, CompactionMore{attempt})
}
