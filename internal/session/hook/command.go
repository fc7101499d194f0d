package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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
	sandbox func(context.Context) (*sandbox.Boxes, *sandbox.Policy, error) // see [Options]
}

func (c commandHook) serves(kind string, input map[string]any) (time.Duration, bool) {
	name, ofTool := input["toolName"].(string)
	if kind != c.kind || ofTool && c.matches != nil && !c.namesTool(name) {
		return 0, false
	}
	return c.limit, true
}

// namesTool reports whether the hook is called for a tool. A tool of GitHub's MCP server is meant by either
// name of the server.
func (c commandHook) namesTool(name string) bool {
	if c.matches.MatchString(name) {
		return true
	}
	return c.matches.MatchString(wire.OtherToolName(wire.GitHubServer, name)) || c.matches.MatchString(wire.OtherToolName(wire.OtherServerName(wire.GitHubServer), name))
}

// advises is the exit status by which a postToolUseFailure hook marks its standard error as
// meant for the model. Any other status except 0 means that the hook failed. Source: the
// format, see files.go.
const advises = 2

func (c commandHook) invoke(ctx context.Context, kind string, input map[string]any) (json.RawMessage, error) {
	if err := c.files.scripts(c.command); err != nil {
		return nil, c.failed("it does not run: %w", err)
	}
	asked, err := json.Marshal(commandInput(kind, input))
	if err != nil {
		return nil, err
	}
	script := shell.Script{Text: c.text, Dir: c.dir, Env: c.env, Drop: c.files.Secrets, Input: append(asked, '\n')}
	if c.sandbox != nil {
		if script.Boxes, script.Sandbox, err = c.sandbox(ctx); err != nil {
			return nil, c.failed("%w", err)
		}
	}
	out, err := c.files.RunScript(ctx, script)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, c.failed("it was not done in time and has been killed")
	case err != nil:
		return nil, c.failed("%w", err)
	case out.Code == advises && kind == "postToolUseFailure" && out.Errors != "":
		return json.Marshal(map[string]string{"additionalContext": out.Errors})
	case out.Code != 0:
		return nil, c.failed("exit status %d: %s", out.Code, out.Errors)
	}
	answer, err := commandOutput(out.Output)
	if err != nil {
		return nil, c.failed("%w", err)
	}
	return answer, nil
}

func (c commandHook) failed(format string, args ...any) error {
	return fault.New(fault.Unavailable, "hook", c.file, "%w", fmt.Errorf(format, args...))
}

// commandInput returns an input as the format of the files defines it. It differs from the
// protocol: the arguments of a tool are a JSON text, and an error is an object. Source:
// https://docs.github.com/en/copilot/reference/hooks-configuration
func commandInput(kind string, input map[string]any) map[string]any {
	input = maps.Clone(input)
	if args, ok := input["toolArgs"].(json.RawMessage); ok && !wire.Raw(args).IsString() {
		input["toolArgs"] = string(args)
	}
	if message, ok := input["error"].(string); ok && kind == "errorOccurred" {
		input["error"] = map[string]string{"message": message, "name": "Error"}
	}
	return input
}

// commandOutput returns the JSON object that a command wrote, as its whole output or as the
// last line of it, after the output of other programs; nil if it wrote none.
func commandOutput(out []byte) (json.RawMessage, error) {
	out = bytes.TrimSpace(out)
	last := out[bytes.LastIndexByte(out, '\n')+1:]
	for _, text := range [][]byte{out, last} {
		if bytes.HasPrefix(text, []byte("{")) && json.Valid(text) {
			return text, nil
		}
	}
	if bytes.HasPrefix(out, []byte("{")) || bytes.HasPrefix(last, []byte("{")) {
		return nil, notUnderstood("its output is not JSON: %.200q", strings.ToValidUTF8(string(out), "?"))
	}
	return nil, nil
}
