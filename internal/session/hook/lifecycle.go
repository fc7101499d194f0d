package hook

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// SessionStart calls the sessionStart hooks. source is "new" or "resume", prompt the
// first message. It returns what the hooks want the model to read before that message,
// "" for nothing.
func (h *Hooks) SessionStart(ctx context.Context, source, prompt string) (added string) {
	h.call(ctx, "sessionStart", "", map[string]any{"source": source, "initialPrompt": prompt}, func(output json.RawMessage) {
		added = paragraphs(added, decode[struct {
			Context string `json:"additionalContext"`
		}](h, output).Context)
	})
	return added
}

// UserPromptSubmitted calls the userPromptSubmitted hooks. It returns the prompt as the
// last hook that changed it left it, and what the hooks want the model to read before
// it, "" for nothing.
func (h *Hooks) UserPromptSubmitted(ctx context.Context, prompt string) (changed, added string) {
	changed = prompt
	h.call(ctx, "userPromptSubmitted", "", map[string]any{"prompt": prompt}, func(output json.RawMessage) {
		o := decode[struct {
			Prompt  string `json:"modifiedPrompt"`
			Context string `json:"additionalContext"`
		}](h, output)
		if o.Prompt != "" {
			changed = o.Prompt
		}
		added = paragraphs(added, o.Context)
	})
	return changed, added
}

// UserPromptTransformed calls the userPromptTransformed hooks with a prompt and with
// what the model is to read of it. It returns what the model reads in the end.
func (h *Hooks) UserPromptTransformed(ctx context.Context, prompt, transformed string) string {
	details := map[string]any{"prompt": prompt, "transformedPrompt": transformed}
	h.call(ctx, "userPromptTransformed", "", details, func(output json.RawMessage) {
		if o := decode[struct {
			Text *string `json:"modifiedTransformedPrompt"`
		}](h, output); o.Text != nil {
			transformed = *o.Text
		}
	})
	return transformed
}

// Stop calls the agentStop hooks when the agent is done. It returns why the agent is to
// continue, "" if it may stop. transcript is the path of the session's log; again says
// that hooks had this run continue before. The caller bounds how often it asks.
func (h *Hooks) Stop(ctx context.Context, transcript string, again bool) (reason string) {
	details := map[string]any{"stopReason": "end_turn", "transcriptPath": transcript, "stop_hook_active": again}
	h.call(ctx, "agentStop", "", details, func(output json.RawMessage) {
		o := decode[struct {
			Decision string `json:"decision"`
			Reason   string `json:"reason"`
		}](h, output)
		if o.Decision == "block" {
			reason = paragraphs(reason, o.Reason)
		}
	})
	return reason
}

// Failure is why a run failed.
type Failure struct {
	// Message is the error as clients read it.
	Message string
	// ModelCall says that a call of the model failed, and nothing else.
	ModelCall bool
	// Tries is how often the run was tried again already.
	Tries int
}

// maxRetries bounds how often hooks can have a failed run tried again.
const maxRetries = 3

// ErrorOccurred calls the errorOccurred hooks and reports whether the run is to be tried
// again: never more than maxRetries times. What a hook wants the user to know is
// recorded as session.info.
func (h *Hooks) ErrorOccurred(ctx context.Context, f Failure) (again bool) {
	where := "system"
	if f.ModelCall {
		where = "model_call"
	}
	details := map[string]any{"error": f.Message, "errorContext": where, "recoverable": f.Tries < maxRetries}
	h.call(ctx, "errorOccurred", "", details, func(output json.RawMessage) {
		o := decode[struct {
			Handling string `json:"errorHandling"`
			Retries  int    `json:"retryCount"`
			Notice   string `json:"userNotification"`
		}](h, output)
		if o.Notice != "" {
			h.opts.Session.Record(&wire.SessionInfo{InfoType: "hook", Message: o.Notice})
		}
		most := maxRetries
		if o.Retries > 0 {
			most = min(o.Retries, maxRetries)
		}
		again = again || o.Handling == "retry" && f.Tries < most
	})
	return again
}

// endLimit bounds how long all sessionEnd hooks together may take: the session waits.
// Source: docs/protocol.md, "Hooks".
const endLimit = 10 * time.Second

// SessionEnd calls the sessionEnd hooks, which can only take notice.
func (h *Hooks) SessionEnd(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, endLimit)
	defer cancel()
	h.call(ctx, "sessionEnd", "", map[string]any{"reason": "complete"}, nil)
}

// paragraphs puts a blank line between two texts, unless one is empty.
func paragraphs(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return strings.Join([]string{a, b}, "\n\n")
}
