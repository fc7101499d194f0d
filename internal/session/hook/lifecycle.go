package hook

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// SessionStart calls the sessionStart hooks. source is "new" or "resume", prompt the first
// message. It returns the text that the hooks add before that message, "" for none.
func (h *Hooks) SessionStart(ctx context.Context, source, prompt string) (added string) {
	h.call(ctx, "sessionStart", Call{}, map[string]any{"source": source, "initialPrompt": prompt}, func(output json.RawMessage) {
		added = paragraphs(added, decode[struct {
			Context string `json:"additionalContext"`
		}](h, output).Context)
	})
	return added
}

// Submitted is what the userPromptSubmitted hooks have made of a prompt.
type Submitted struct {
	// Prompt is the prompt with the changes of the hooks.
	Prompt string
	// Added is the text that they add before it, "" for none.
	Added string
	// Blocked says that the prompt must not reach the model; Why are the reasons, "" if a hook gave none.
	Blocked bool
	Why     string
}

// UserPromptSubmitted calls the userPromptSubmitted hooks, all of them also if one blocks the prompt.
func (h *Hooks) UserPromptSubmitted(ctx context.Context, prompt string) Submitted {
	s := Submitted{Prompt: prompt}
	h.call(ctx, promptSubmitted, Call{}, map[string]any{"prompt": prompt}, func(output json.RawMessage) {
		o := decode[struct {
			Prompt  string `json:"modifiedPrompt"`
			Context string `json:"additionalContext"`
			judged
		}](h, output)
		if o.Prompt != "" {
			s.Prompt = o.Prompt
		}
		s.Added = paragraphs(s.Added, o.Context)
		if o.Decision == blocks {
			s.Blocked, s.Why = true, paragraphs(s.Why, o.Reason)
		}
	})
	return s
}

// promptSubmitted is the kind of the hooks that see a prompt first, and blocks the decision of one that refuses it.
const (
	promptSubmitted = "userPromptSubmitted"
	blocks          = "block"
)

// judged are the members of an output that blocks something.
type judged struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
}

// UserPromptTransformed calls the userPromptTransformed hooks with a prompt and with its
// text for the model. It returns the final text for the model.
func (h *Hooks) UserPromptTransformed(ctx context.Context, prompt, transformed string) string {
	details := map[string]any{"prompt": prompt, "transformedPrompt": transformed}
	h.call(ctx, "userPromptTransformed", Call{}, details, func(output json.RawMessage) {
		if o := decode[struct {
			Text *string `json:"modifiedTransformedPrompt"`
		}](h, output); o.Text != nil {
			transformed = *o.Text
		}
	})
	return transformed
}

// Stop calls the agentStop hooks when the agent is done. It returns the reason why the agent
// should continue, "" if it may stop. transcript is the path of the session's log; again
// reports whether hooks have already continued this run. The caller limits how often it
// calls Stop.
func (h *Hooks) Stop(ctx context.Context, transcript string, again bool) (reason string) {
	details := map[string]any{"stopReason": "end_turn", "transcriptPath": transcript, "stop_hook_active": again}
	h.call(ctx, agentStop, Call{}, details, func(output json.RawMessage) {
		if o := decode[judged](h, output); o.Decision == blocks {
			reason = paragraphs(reason, o.Reason)
		}
	})
	return reason
}

// SubagentStart calls the subagentStart hooks of files when a sub-agent starts, and SubagentStop
// the subagentStop hooks when it has ended. Their output is ignored. Clients have no such hooks.
func (h *Hooks) SubagentStart(ctx context.Context, agentID, agentName string) {
	h.call(ctx, subagentStart, Call{AgentID: agentID}, map[string]any{"agentName": agentName}, nil)
}

// SubagentStop is described with [Hooks.SubagentStart]. reason is "completed", "cancelled" or
// "failed".
func (h *Hooks) SubagentStop(ctx context.Context, agentID, agentName, reason string) {
	ctx, cancel := context.WithTimeout(ctx, endLimit) // also after an abort, which waits for it
	defer cancel()
	h.call(ctx, subagentStop, Call{AgentID: agentID}, map[string]any{"agentName": agentName, "stopReason": reason}, nil)
}

// The hooks of sub-agents. Source: the schema's hook types.
const (
	subagentStart = "subagentStart"
	subagentStop  = "subagentStop"
)

// Failure describes why a run failed.
type Failure struct {
	// Message is the error as clients get it.
	Message string
	// ModelCall reports whether only a call of the model failed.
	ModelCall bool
	// Tries is how often the run has already been retried.
	Tries int
}

// maxRetries bounds how often hooks can have a failed run retried.
const maxRetries = 3

// ErrorOccurred calls the errorOccurred hooks and reports whether to retry the run, at most
// maxRetries times. Messages of hooks for the user are recorded as session.info.
func (h *Hooks) ErrorOccurred(ctx context.Context, f Failure) (again bool) {
	where := "system"
	if f.ModelCall {
		where = "model_call"
	}
	details := map[string]any{"error": f.Message, "errorContext": where, "recoverable": f.Tries < maxRetries}
	h.call(ctx, "errorOccurred", Call{}, details, func(output json.RawMessage) {
		o := decode[struct {
			Handling string `json:"errorHandling"`
			Retries  int    `json:"retryCount"`
			Notice   string `json:"userNotification"`
		}](h, output)
		if o.Notice != "" {
			h.opts.Session.Record("", &wire.SessionInfo{InfoType: "hook", Message: o.Notice})
		}
		most := maxRetries
		if o.Retries > 0 {
			most = min(o.Retries, maxRetries)
		}
		again = again || o.Handling == "retry" && f.Tries < most
	})
	return again
}

const (
	agentStop  = "agentStop"
	sessionEnd = "sessionEnd"
)

// endLimit bounds the time of all sessionEnd hooks together, because the session waits for
// them; also that of all subagentStop hooks of a sub-agent. Source: docs/protocol.md, "Hooks".
const endLimit = 10 * time.Second

// End is why a session ends. Source: the SDKs' docs/hooks/session-lifecycle.md, "End reasons".
type End string

const (
	EndComplete End = "complete"  // the last run has come to its end
	EndError    End = "error"     // it failed, or the session did
	EndAbort    End = "abort"     // the last run was aborted
	EndTimeout  End = "timeout"   // the time of the last run was over
	EndUserExit End = "user_exit" // the user has left the chat
)

// SessionEnd calls the sessionEnd hooks. Their output is ignored.
func (h *Hooks) SessionEnd(ctx context.Context, why End) {
	if sources := h.sources.Load(); sources != nil {
		h.sessionEnd(ctx, *sources, why)
	}
}

// ClientLeaves calls the sessionEnd hook of the client alone: the session goes on without it, and
// ends when the client can no longer be called. Its output is ignored.
func (h *Hooks) ClientLeaves(ctx context.Context) {
	h.mu.Lock()
	c := h.client
	h.mu.Unlock()
	if c != nil {
		h.sessionEnd(ctx, []source{c}, EndComplete)
	}
}

func (h *Hooks) sessionEnd(ctx context.Context, sources []source, why End) {
	ctx, cancel := context.WithTimeout(ctx, endLimit)
	defer cancel()
	h.callAll(ctx, sources, sessionEnd, Call{}, map[string]any{"reason": string(why)}, nil)
}

// paragraphs joins two texts with a blank line, unless one is empty.
func paragraphs(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return strings.Join([]string{a, b}, "\n\n")
}
