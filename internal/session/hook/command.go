package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// commandHook is one hook of a file: a command that reads its input as JSON and writes
// its output as JSON.
type commandHook struct {
	command
	files   *Files
	session described
	sandbox func(context.Context) (*sandbox.Boxes, *sandbox.Policy, error) // see [Options]
	without func(kind, part string)                                        // says that a part of an output has no effect
	tell    func(message string)                                           // warns the user, once for each message
}

// described is what commands get to know of the session.
type described struct {
	host           Session
	id, transcript string
}

func (c commandHook) serves(kind string, about Call, input map[string]any) (time.Duration, bool) {
	return c.Limit, kind == c.Kind && c.concerns(about, input)
}

// decides is the exit status by which a command blocks, with its standard error as the reason; of a hook for a
// tool call that failed, the standard error is meant for the model. Any other status except 0 means that the hook
// failed. Sources: see input.go.
const decides = 2

// errTimedOut is the error of a command that was not done in time. It is not taken as a denial: the two programs
// that files are written for let the call pass as well.
var errTimedOut = errors.New("it was not done in time and has been killed")

func (c commandHook) invoke(ctx context.Context, kind string, about Call, input map[string]any) (json.RawMessage, error) {
	if err := c.files.scripts(c.command); err != nil {
		return nil, c.failed("it does not run: %w", err)
	}
	asked := c.input(kind, about, input)
	stdin, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	script := shell.Script{Text: c.Text, Dir: c.dir, Env: c.env, Drop: c.files.Secrets, Input: append(stdin, '\n')}
	if c.sandbox != nil {
		if script.Boxes, script.Sandbox, err = c.sandbox(ctx); err != nil {
			c.tell(fmt.Sprintf("The %s hook does not run: %s.", kind, fault.Message(err)))
			return nil, c.failed("%w", err)
		}
	}
	out, err := c.files.RunScript(ctx, script)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, c.failed("%w", errTimedOut)
	case err != nil:
		return nil, c.failed("%w", err)
	case out.Code == decides:
		if answer := c.blocking(kind, out.Errors); answer != nil {
			return answer, nil
		}
		fallthrough
	case out.Code != 0:
		return nil, c.failed("exit status %d: %s", out.Code, out.Errors)
	}
	answer, err := commandOutput(out.Output)
	if err != nil {
		return nil, c.failed("%w", err)
	}
	if answer == nil {
		return c.spoken(kind, out.Output), nil
	}
	answer, unknown := c.translated(about, asked, answer)
	for _, name := range unknown {
		c.without(kind, name)
	}
	return answer, nil
}

// blocking is the output of a command that ended with the status [decides]; nil where that is a failure. Only
// for events in PascalCase it blocks more than a call.
func (c commandHook) blocking(kind, errors string) json.RawMessage {
	reason := strings.TrimSpace(errors)
	members := map[string]string{}
	switch {
	case kind == preToolUse:
		members = map[string]string{"permissionDecision": "deny", "permissionDecisionReason": reason}
	case kind == "postToolUseFailure" && reason != "", kind == "postToolUse" && reason != "" && c.Pascal:
		members["additionalContext"] = errors
	case (kind == promptSubmitted || kind == agentStop) && c.Pascal:
		members = map[string]string{"decision": blocks, "reason": reason}
	default:
		return nil
	}
	answer, err := json.Marshal(members)
	if err != nil {
		return nil // texts can always be encoded
	}
	return answer
}

// spoken is the output of a command that printed text: Claude Code reads it as context, when a session starts and
// when a prompt arrives.
func (c commandHook) spoken(kind string, out []byte) json.RawMessage {
	said := strings.TrimSpace(strings.ToValidUTF8(string(bytes.TrimSpace(withoutProgress(out))), "?"))
	if !c.Pascal || said == "" || kind != promptSubmitted && kind != "sessionStart" {
		return nil
	}
	answer, err := json.Marshal(map[string]string{"additionalContext": said})
	if err != nil {
		return nil // a text can always be encoded
	}
	return answer
}

func (c commandHook) failed(format string, args ...any) error {
	return fault.New(fault.Unavailable, "hook", c.file, "%w", fmt.Errorf(format, args...))
}

// tell shows the user what a command says to the user.
func (h *Hooks) tell(output json.RawMessage) {
	if message := wire.Raw(output).Get("systemMessage").Text(); message != "" {
		h.opts.Session.Record("", &wire.SessionInfo{InfoType: "hook", Message: message})
	}
}
