package wire

import "encoding/json"

// Command is a slash command that a client carries out.
type Command struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// SendMessages are the parameters of session.sendMessages: messages that begin one run
// together.
type SendMessages struct {
	Messages       []Send            `json:"messages" sent:"SendItem"`
	Mode           string            `json:"mode"` // "enqueue" (default), "immediate"
	AgentMode      string            `json:"agentMode"`
	Prepend        bool              `json:"prepend"`
	RequestHeaders map[string]string `json:"requestHeaders"`
	HeadersBy      string            `json:"-"`              // the owner of RequestHeaders; the server sets it
	ResponseFormat json.RawMessage   `json:"responseFormat"` // of the answers of the run, as in Send
	Wait           bool              `json:"wait"`           // answer when the run has ended
	Traceparent    string            `json:"traceparent"`    // of the run, as in Send
}

// SendItem is a message in the parameters of another method than session.send: the method decides when it is
// sent.
type SendItem struct{ Send }

// RunsAlone reports whether an item of a queue is a run of its own, without a model: a slash command, or a shell
// command that was sent as a message.
func RunsAlone(i QueueItem) bool { return i.Kind == "command" || i.AgentMode == "shell" }

// QueueListed is the result of session.queue.pendingItems.
type QueueListed struct {
	QueuePending
	// WithdrawableTurnMessageID is the message that the run began with, if the model has not
	// answered it.
	WithdrawableTurnMessageID string `json:"withdrawableTurnMessageId,omitempty"`
	// Held and Interrupted are fields of this program: the items wait, and a run that was interrupted
	// waits, until a message is sent or setDrainPaused is called with false.
	Held        bool `json:"held,omitempty"`
	Interrupted bool `json:"interrupted,omitempty"`
}

// TurnInterrupt are the parameters of session.interruptMainTurn.
type TurnInterrupt struct {
	FlushQueued *bool `json:"flushQueued"`
	// HoldQueued is a field of this program: what waits in the queue is held until a message is sent
	// or setDrainPaused is called with false.
	HoldQueued bool `json:"holdQueued"`
}

// QueueWithdraw are the parameters of session.queue.withdrawMessage.
type QueueWithdraw struct {
	MessageID      string `json:"messageId"`
	ExpectedPrompt string `json:"expectedPrompt"`
}

// QueueWithdrawn is the result of session.queue.withdrawMessage.
type QueueWithdrawn struct {
	Removed     bool `json:"removed"`
	Interrupted bool `json:"interrupted"`
}

// QueueAppend are the parameters of session.queue.appendSteering.
type QueueAppend struct {
	MessageID      string          `json:"messageId"`
	ExpectedPrompt string          `json:"expectedPrompt"`
	Prompt         string          `json:"prompt"`
	DisplayPrompt  string          `json:"displayPrompt"`
	AgentMode      string          `json:"agentMode"`
	Attachments    json.RawMessage `json:"attachments"`
}

// CommandQueuedIn is the result of session.commands.enqueue.
type CommandQueuedIn struct {
	Queued  bool   `json:"queued"`
	QueueID string `json:"queueId,omitempty"`
}

// QueuedCommandAnswer are the parameters of session.commands.respondToQueuedCommand.
type QueuedCommandAnswer struct {
	RequestID string `json:"requestId"`
	Result    struct {
		Handled bool `json:"handled"`
		// StopProcessingQueue keeps the rest of the queue waiting until the next request.
		StopProcessingQueue bool `json:"stopProcessingQueue"`
	} `json:"result"`
}
