package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// This file has everything that this program adds to the protocol's persisted events: types
// of session.info events, and fields in addition to those of the SDKs. Programs on an SDK
// ignore them. Later versions read these logs, so the meaning of the names must not change.
//
// A session.info that carries no state needs no infoKinds (kinds.go). The terminal interface shows its
// message in a dim row; tui/cell/note.go has the look (notice), and the types that it does not show (internal).

// The types (infoType) of the session.info events that carry state of this program.
const (
	// InfoMessageQueued stores a message that arrived while the session was busy, in the
	// field [FieldQueued].
	InfoMessageQueued = "message_queued"
	// InfoMessagesDropped removes messages from the queue, in [FieldDropped].
	InfoMessagesDropped = "messages_dropped"
	// InfoQueueOrdered puts the queue into another order, in [FieldOrdered].
	InfoQueueOrdered = "queue_ordered"
	// InfoQueueHeld holds the queue, or lets it go on, in [FieldHeld].
	InfoQueueHeld = "queue_held"
	// InfoFileCaptured says what a tool has changed in a file, in [FieldCapture].
	InfoFileCaptured = "file_captured"
	// InfoSessionNamed stores the session's name, in [FieldNamed]. The protocol's event for
	// it, session.title_changed, is ephemeral.
	InfoSessionNamed = "session_named"
	// InfoInstructionsSkipped says whether the files with instructions are left unread, in
	// [FieldSkipped]. A resume finds it there, because a run can go on before the client has
	// sent its settings again.
	InfoInstructionsSkipped = "instructions_skipped"
	// InfoServersDisabled lists the MCP servers that clients have disabled, in [FieldDisabled]. A resume
	// and a fork find it there: what is disabled gets no token until a client says otherwise.
	InfoServersDisabled = "mcp_servers_disabled"
	// InfoCommandLeft says that a tool call has returned while its command runs, in [FieldLeft]. The
	// command ends with [InfoCommandEnded], or with the process.
	InfoCommandLeft = "command_left"
	// InfoCommandEnded says that a command in the background has ended, in [FieldEnded]. The result
	// of a call that has waited for the end, or has read it, says so instead.
	InfoCommandEnded = "command_ended"
	// InfoRunEnded says that a run has ended. It is recorded if the last turn does not show that, for
	// example after a tool that ends the run.
	InfoRunEnded = "run_ended"
	// InfoHistoryTruncated removes the end of the history, in [FieldTruncated]. The
	// protocol's event for it, session.snapshot_rewind, is ephemeral.
	InfoHistoryTruncated = "history_truncated"
)

// InfoShellExit is the type of the ephemeral session.info event at the end of a program of
// session.shell.exec, in [FieldExit].
const InfoShellExit = "shell_exit"

// InfoModelRetry is the type of the ephemeral session.info event before a model call is made again,
// in [FieldRetry]. It is sent if a client has registered an interest in [InterestRetries].
const (
	InfoModelRetry            = "model_retry"
	InterestRetries EventType = "model.retry"
)

// InfoModelWaiting is the type of the ephemeral session.info events that say what a model call waits for
// before its answer begins, in [FieldWaiting]. They are sent if a client has registered an interest in
// [InterestWaiting] before the turn: when a call begins, every second while the server loads its model, when
// it says how much of the prompt it has read, and when another call of this process at the same server ends.
const (
	InfoModelWaiting           = "model_waiting"
	InterestWaiting  EventType = "model.waiting"
)

// ModelWaiting is what a model call waits for.
type ModelWaiting struct {
	SinceMs int64 `json:"sinceMs"`           // for how long it has waited for that, in milliseconds
	Tokens  int64 `json:"tokens,omitempty"`  // of the prompt, estimated
	Loading bool  `json:"loading,omitempty"` // the server says that it loads the model
	Read    int64 `json:"read,omitempty"`    // tokens of the prompt that the server has read,
	Total   int64 `json:"total,omitempty"`   // of so many; 0 if it does not say
	Others  int   `json:"others,omitempty"`  // other calls of this process under way at the same server on this machine
}

// ModelRetry says that a model call has failed and is made again.
type ModelRetry struct {
	Next   int    `json:"next"`   // the number of the attempt that follows, from 2
	WaitMs int64  `json:"waitMs"` // until then, in milliseconds
	LeftMs int64  `json:"leftMs"` // for how long the call is tried again after that, in milliseconds
	Reason string `json:"reason"`
}

// The fields that this program adds, each with its event.
const (
	FieldQueued    = "queued"             // in session.info: a [QueuedMessage]
	FieldDropped   = "dropped"            // in session.info: [DroppedMessages]
	FieldExit      = "exit"               // in session.info: a [ProgramExit]
	FieldEnded     = "ended"              // in session.info: a [CommandEnd]
	FieldLeft      = "left"               // in session.info: a [CommandLeft]
	FieldRetry     = "retry"              // in session.info: a [ModelRetry]
	FieldWaiting   = "waiting"            // in session.info: a [ModelWaiting]
	FieldOrdered   = "ordered"            // in session.info: a [QueueOrder]
	FieldHeld      = "held"               // in session.info: a [QueueHold]
	FieldCapture   = "capture"            // in session.info: a [FileCapture]
	FieldTracking  = "fileChangeTracking" // in session.start: true if the session keeps old versions of files
	FieldNamed     = "named"              // in session.info: a [SessionName]
	FieldSkipped   = "skipped"            // in session.info: true if no file with instructions is read
	FieldDisabled  = "disabled"           // in session.info: the names of MCP servers
	FieldTruncated = "truncated"          // in session.info: a [Truncation]
	FieldCondensed = "condensed"          // in session.compaction_complete: [Condensed]
	// FieldPurpose of assistant.turn_start is [PurposeCompaction] if the model call of the
	// turn writes a summary and is not part of the conversation.
	FieldPurpose = "purpose"
	// FieldExtension of user.message names the Copilot Extensions agent that the
	// message was sent to. A message without it was sent to a model.
	FieldExtension = "agent"
	// FieldTraceparent of user.message is the span of the client that the run belongs to.
	FieldTraceparent = "traceparent"
	// FieldReferences of user.message and assistant.message holds the references of a
	// Copilot Extensions agent as the agent sent them. They are sent back with the next
	// message.
	FieldReferences = "copilotReferences"
	// FieldLater of assistant.message holds the confirmations of a Copilot Extensions agent
	// after the first one. The user is asked for one after the other.
	FieldLater = "laterConfirmations"
	// FieldReasoning of assistant.message is a list of [ReasoningPart].
	FieldReasoning = "reasoningParts"
	// FieldNewTools of assistant.turn_start names the client tools that the model gets for
	// the first time in this turn.
	FieldNewTools = "newTools"
	// FieldRemovedTools of user.message names the client tools that the model had before and
	// that no attached client provides any more. Its name in the log is goneTools.
	FieldRemovedTools = "goneTools"
	// FieldInstructions of user.message has the ids of the instructions in it, which were delivered because a tool
	// has read or changed a file that they are for.
	FieldInstructions = "instructionIds"
	// FieldRequest of sampling.requested holds the parameters of the MCP server's request.
	FieldRequest = "request"
	// FieldPayloads of session.warning names the payloads of the events whose content is
	// reported as missing.
	FieldPayloads = "payloads"
	// FieldCutOff of abort is a [CutOffAnswer], absent if the model had written nothing yet.
	FieldCutOff = "cutOffAnswer"
	// FieldFinish of assistant.message and of session.warning says why an answer is not complete:
	// length, context_window, refusal, content_filter, malformed_call, paused, provider_failure,
	// empty, repetition or unknown. In a session.warning it is also [FinishRepeatedCalls]. A complete answer has no such field.
	FieldFinish = "finishReason"
	// FieldProvidedBy of session.start, session.resume and session.model_change says who brings the
	// provider of the model from then on: [ByClient] or [ByServer]. Without it nothing changes; a session
	// begins with that of the server.
	FieldProvidedBy = "providedBy"
	// FieldRunUnderWay of session.resume is true if the process that records the event carries out a
	// run, which goes on.
	FieldRunUnderWay = "runUnderWay"
	// FieldLogged of session.error is true if a client has logged the error during a run, which goes on.
	FieldLogged = "logged"
	// FieldLeftOut of session.warning is a [LeftOut].
	FieldLeftOut = "leftOut"
	// FieldLimitSource of session.usage_info says in words where tokenLimit is known from. [ContextInfoResult] has it, too.
	FieldLimitSource = "tokenLimitSource"
	// FieldMovedAside of session.warning is a list of [MovedAside].
	FieldMovedAside = "movedAside"
	// FieldBuildFiles of session.info is a list of absolute paths.
	FieldBuildFiles = "buildFiles"
	// FieldChanged of permission.requested says in words how the definition of a tool of an MCP server differs
	// from the one that the user has approved.
	FieldChanged = "definitionChanged"
	// FieldTask of subagent.started is a [LaunchedTask].
	FieldTask = "task"
)

// WarningQuarantine is the type of the session.warning about what a command has made that acts later: it was
// moved aside, and is in [FieldMovedAside].
const WarningQuarantine = "quarantine"

// InfoBuildFiles is the type of the session.info that says which files that builds, tests and agents obey a
// command has changed or made, in [FieldBuildFiles].
const InfoBuildFiles = "build_files_changed"

// The values of [FieldProvidedBy]. The log never has a key.
const (
	ByClient = "client"
	ByServer = "server"
)

// PurposeCompaction is the value of [FieldPurpose] for a model call that writes a summary.
const PurposeCompaction = "compaction"

// TruncatedByUs is the performedBy of a session.truncation that this program carried out. It
// is not known what the truncations of other runtimes removed.
const TruncatedByUs = "sidestick"

// ReasoningPart says where a piece of a model's reasoning came from, so that it can be sent
// back there. If a message has one piece, its text, opaque content and field name are in the
// protocol's own fields: reasoningText, reasoningOpaque and reasoningWireField. If it has
// several, or if it is not reasoning but the phase of the text, each has its own.
type ReasoningPart struct {
	Provider string `json:"provider"` // base URL without user and query
	Model    string `json:"model"`
	ID       string `json:"id,omitempty"`
	Text     string `json:"text,omitempty"`
	Opaque   string `json:"opaque,omitempty"`
	Field    string `json:"field,omitempty"` // where the provider sent the text
	Dialect  string `json:"dialect,omitempty"`
	Account  string `json:"account,omitempty"` // a digest that tells accounts of the provider apart
	Seal     string `json:"seal,omitempty"`    // a digest of what was sent before the piece
	// AfterText and AfterCalls are the place of the piece in the answer: the bytes of its text,
	// and its tool calls, that came before it.
	AfterText  int `json:"afterText,omitempty"`
	AfterCalls int `json:"afterCalls,omitempty"`
}

// QueuedMessage is a message, or a slash command, that waits until the session is idle. Its
// headers are not stored, because they may be credentials. Another one with the same
// messageId replaces it, in its place in the queue.
type QueuedMessage struct {
	MessageID     string          `json:"messageId"`
	Prompt        string          `json:"prompt"`
	DisplayPrompt string          `json:"displayPrompt,omitempty"`
	Attachments   json.RawMessage `json:"attachments,omitempty"`
	Mode          string          `json:"mode,omitempty"`
	AgentMode     string          `json:"agentMode,omitempty"`
	Source        string          `json:"source,omitempty"`
	Format        json.RawMessage `json:"responseFormat,omitempty"`
	Traceparent   string          `json:"traceparent,omitempty"`
	// Batch is the id of the last message of those that begin one run together.
	Batch string `json:"batch,omitempty"`
	// Command marks a slash command, whose text is Prompt.
	Command bool `json:"command,omitempty"`
}

// QueueOrder names queued messages in their new order. Messages that it does not name keep
// their order, behind the others.
type QueueOrder struct {
	MessageIDs []string `json:"messageIds"`
}

// QueueHold says what waits until the user goes on. The zero value is that nothing does.
type QueueHold struct {
	// Held holds the messages of the queue.
	Held bool `json:"held"`
	// Interrupted means that a process ended while a run was under way, which can go on.
	Interrupted bool `json:"interrupted,omitempty"`
}

// DroppedMessages names queued messages that were removed before they were sent to the
// model.
type DroppedMessages struct {
	MessageIDs []string `json:"messageIds"`
}

// FileCapture is a change of a file by a tool. The old version is in the workspace, under its
// digest.
type FileCapture struct {
	Path         string `json:"path"`   // absolute
	Before       string `json:"before"` // digest of the old version, "" if there was no file
	After        string `json:"after"`
	Mode         uint32 `json:"mode,omitempty"` // permissions of the old version
	LinesAdded   int64  `json:"linesAdded"`
	LinesRemoved int64  `json:"linesRemoved"`
	Skipped      bool   `json:"skipped,omitempty"` // the old version was not kept
	Seal         string `json:"seal"`              // shows that this machine has made the capture
}

// ProgramExit is the end of a program of session.shell.exec.
type ProgramExit struct {
	ProcessID string `json:"processId"`
	ExitCode  int    `json:"exitCode"`         // 128 plus the signal's number if a signal ended it
	Reason    string `json:"reason,omitempty"` // "timeout" if it was killed because it took too long
}

// CommandLeft is a command of a tool call that has returned before the end of the command.
type CommandLeft struct {
	ShellID string `json:"shellId"`
	Command string `json:"command"` // the beginning of its text
}

// CommandEnd is the end of a command of a tool call that had returned before.
type CommandEnd struct {
	ShellID  string `json:"shellId"`
	ExitCode int    `json:"exitCode"`          // 128 plus the signal's number if a signal ended it
	Stopped  bool   `json:"stopped,omitempty"` // by the user
}

// SessionName is the name of a session.
type SessionName struct {
	Name string `json:"name"`
	User bool   `json:"user"` // the user chose it; false: generated from the conversation
}

// Truncation removes an event of the log and every event after it, up to the event
// that carries the truncation. The log keeps the lines; readers of the history skip
// them.
type Truncation struct {
	EventID string `json:"eventId"` // id of the first removed event
	From    uint64 `json:"from"`    // the position of that event at the time of the truncation
	Removed int64  `json:"removed"` // number of removed events, without this one
}

// CutOffAnswer is the text that the model had streamed when its answer was interrupted. Its
// reasoning and the tool calls that it had begun to write are not kept.
type CutOffAnswer struct {
	MessageID string `json:"messageId"`
	Content   string `json:"content"`
	// Omitted is how many bytes of a long answer came before Content and are not kept.
	Omitted int64 `json:"omitted,omitempty"`
}

// LaunchedTask names a sub-agent and what it was started for, in the words of its starter.
type LaunchedTask struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// Condensed says what a summary replaces, so that a replay builds the same
// conversation.
type Condensed struct {
	Entries int      `json:"entries"` // number of messages replaced, from the first message of the conversation
	Said    []string `json:"said"`    // the user's own texts, kept word for word in addition to the summary
}

// LeftOut says what of a conversation the model no longer reads, because it does not fit into the model's
// window. The conversation in the log stays whole. Messages are counted from the first one after the last
// summary, from 0. The zero value leaves nothing out.
type LeftOut struct {
	Model  string `json:"model"`  // the requests to this model
	Window int64  `json:"window"` // its window when this was chosen, in tokens
	// Spans are the messages that are left out: from the first number to before the second one.
	Spans [][2]int `json:"spans,omitempty"`
	// Noted is a number of messages, from the beginning: the model reads a note in place of each result of their tool
	// calls. Results of the messages after them, up to the message number Cut, are cut in their middle to Bytes.
	Noted int `json:"noted,omitempty"`
	Cut   int `json:"cut,omitempty"`
	Bytes int `json:"bytes,omitempty"`
}

// WithJSON returns an event with an additional field whose value is v, as [Marshal] encodes it. If the value cannot
// be encoded, the event is returned unchanged; the types of this file always can be.
func WithJSON(e Data, field string, v any) Data {
	value, err := Marshal(v)
	if err != nil {
		return e
	}
	return WithField(e, field, value)
}

// ContextInfoResult is the result of session.metadata.contextInfo.
type ContextInfoResult struct {
	ContextInfo *ContextInfo `json:"contextInfo,omitempty"`
	// LimitSource is [FieldLimitSource] of promptTokenLimit; "" if the client has named that itself.
	LimitSource string `json:"tokenLimitSource,omitempty"`
	// DeferredTools is how many tools the request leaves out, and DeferredTokens what their definitions have.
	DeferredTools  int   `json:"deferredTools,omitempty"`
	DeferredTokens int64 `json:"deferredTokens,omitempty"`
}

// WithLimitSource returns a session.usage_info with its [FieldLimitSource], unless source is "".
func WithLimitSource(info *SessionUsageInfo, source string) Data {
	if source == "" {
		return info
	}
	return WithJSON(info, FieldLimitSource, source)
}

// Optional returns a pointer to v, or nil if v is the zero value of its type. In the SDK's
// types nil marks an absent field.
func Optional[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// OrZero returns what p points to, the zero value for nil.
func OrZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// Texts returns the strings of a JSON list. Other elements are left out.
func Texts(list Raw) (out []string) {
	for e := range list.Elements() {
		if e.IsString() {
			out = append(out, strings.Clone(e.Text()))
		}
	}
	return out
}

// MaxName bounds the name of a session, in characters. Source: the SDK's schema.
const MaxName = 100

// CheckName returns why a session cannot be called so, nil if it can.
func CheckName(name string) error {
	switch n := utf8.RuneCountInString(name); {
	case n == 0:
		return errors.New("the name is empty")
	case n > MaxName:
		return fmt.Errorf("the name has %d characters, want %d at most", n, MaxName)
	}
	return nil
}

// NamedEvent returns the event that keeps the name of a session.
func NamedEvent(n SessionName) Data {
	return WithJSON(&SessionInfo{InfoType: InfoSessionNamed, Message: "The session is called " + n.Name + "."}, FieldNamed, n)
}

// InstructionsSkipped returns the event that says whether the files with instructions are left unread.
func InstructionsSkipped(skip bool) Data {
	message := "Files with instructions are read again."
	if skip {
		message = "No files with instructions are read."
	}
	return WithJSON(&SessionInfo{InfoType: InfoInstructionsSkipped, Message: message}, FieldSkipped, skip)
}

// Types of session.warning about the end of a run or of an answer, and about what the model reads.
const (
	// WarningIncomplete says that an answer is not complete: cut off, refused, withheld by a filter, or
	// empty. Its field [FieldFinish] has the reason.
	WarningIncomplete = "incomplete_answer"
	// WarningBudget says that a run has ended because its budget is used up.
	WarningBudget = "budget_exhausted"
	// WarningUnreported says that a run in autopilot has ended, and that the agent has not reported the task as done
	// although it was asked to.
	WarningUnreported = "task_not_reported"
	// WarningRepeatedCalls says that the model makes the same calls with the same results again and again. If the
	// run has ended because of that, its field [FieldFinish] is [FinishRepeatedCalls].
	WarningRepeatedCalls = "repeated_calls"
	// WarningLeftOut says that a part of the conversation does not fit into the model's window, and is left out
	// of what the model reads. Its field [FieldLeftOut] has which part.
	WarningLeftOut = "context_left_out"
	// WarningPolicyBlocked says that a hook has blocked a message, which the model does not get.
	WarningPolicyBlocked = "policy_blocked"
	// WarningSmallSet says that the small set of tools leaves out what the skills or agents of the session need.
	WarningSmallSet = "small_tool_set"
)

// Reasons for which an answer is not complete, of those in [FieldFinish], that clients tell from others.
const (
	// ContentFilter is the reason if a filter has stopped an answer. It is also the type of the
	// session.error if nothing is left of the answer, or if the filter has refused the question.
	ContentFilter = "content_filter"
	// FinishRefusal is the reason if the model has refused to answer, or to go on.
	FinishRefusal = "refusal"
	// FinishRepetition is the reason if an answer was stopped because it repeated itself.
	FinishRepetition = "repetition"
	// FinishRepeatedCalls is not about an answer, but about a run that has ended without one.
	FinishRepeatedCalls = "repeated_calls"
)
