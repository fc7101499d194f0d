package turn

import (
	"encoding/base64"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// started is the event of a call that starts.
func (t *turn) started(start *wire.ToolStart) wire.Data {
	d := t.offered(start.ToolName)
	more := wire.ToolStartMore{ReadOnly: d.ReadOnly, MCPServerDisplayName: d.ServerTitle}
	if d.Title != d.ServerTool { // else the server has sent none
		more.ToolTitle = d.Title
	}
	return wire.With(start, more)
}

func (t *turn) start(c *tool.Call) *wire.ToolStart {
	d := t.offered(c.Name)
	return &wire.ToolStart{
		ToolCallID: c.ID, ToolName: c.Name, Arguments: c.Arguments, ShellToolInfo: shellInfo(c.Permitted),
		MCPServerName: wire.Optional(d.Server), MCPToolName: wire.Optional(d.ServerTool),
		TurnID: wire.Optional(t.prompt.TurnID), Model: wire.Optional(t.prompt.Request.Model),
	}
}

// shellInfo says which files a command may read or write; nil for other calls, and for those
// that were refused before that was known.
func shellInfo(q *permit.Request) *wire.ShellInfo {
	if q == nil || q.Kind != permit.Shell || q.Command.Input {
		return nil
	}
	info := &wire.ShellInfo{HasWriteFileRedirection: q.Command.Redirects, PossiblePaths: []string{}}
	for _, p := range q.Command.Paths {
		info.PossiblePaths = append(info.PossiblePaths, p.Name)
	}
	return info
}

// offered is the definition of the tool of that name, the zero one if it is not offered.
func (t *turn) offered(name string) (d tool.Definition) {
	if offer, ok := t.prompt.Tools[name]; ok && offer.Tool != nil {
		d = offer.Tool.Definition()
	}
	return d
}

// complete records the end of a call, its start with it if that is not recorded
// yet, and with the last call the end of the turn. That is one append, so there is one
// wait for the disk.
func (t *turn) complete(e *ending, last bool) error {
	res := e.result
	done := Completed(e.call.ID, res)
	done.TurnID, done.Model = wire.Optional(t.prompt.TurnID), wire.Optional(t.prompt.Request.Model)
	done.InteractionID = wire.Optional(t.prompt.Request.InteractionID)
	var events []wire.Data
	if e.start != nil {
		events = append(events, t.started(e.start))
	}
	events = append(append(events, wire.With(done, wire.ToolCompleteMore{FileEdits: res.Edits})), res.After...)
	if last {
		events = append(events, t.ending())
	}
	err := t.host.Record(events...)
	if err != nil && fault.KindOf(err) == fault.Invalid && res.Text != textTooLong {
		// The log refuses only what is too long: record the end of the call without it.
		e.result = tool.Result{Outcome: tool.Failure, Text: textTooLong, Exit: res.Exit, Sandboxed: res.Sandboxed}
		return t.complete(e, last)
	}
	t.ended = last && err == nil
	return err
}

// Completed returns the event of the end of a call. The text for the model is in result.content
// on success and in error.message otherwise. The exit code of a command is in shellExecution.
func Completed(callID string, res tool.Result) *wire.ToolComplete {
	done := &wire.ToolComplete{
		ToolCallID: callID, Success: res.Outcome == tool.Success, ToolTelemetry: res.Telemetry, Sandboxed: wire.Optional(res.Sandboxed),
	}
	if res.Exit != nil {
		done.ShellExecution = &wire.ToolExit{ExitCode: int64(res.Exit.Code)}
	}
	if !done.Success {
		code := string(res.Outcome)
		done.Error = &wire.ToolError{Message: res.Text, Code: &code, Remediation: wire.Optional(res.Remedy)}
		return done
	}
	done.Result = &wire.ToolResult{
		Content: res.Text, DetailedContent: wire.Optional(res.Detail), BinaryResultsForLlm: files(res.Files), Contents: contents(res),
	}
	if res.Structured != nil {
		done.Result.StructuredContent = res.Structured
	}
	return done
}

// contents are the blocks of a result; of a command that has ended in a shell of ours, how it ended.
func contents(res tool.Result) []wire.ToolContent {
	if res.Exit == nil || res.Contents != nil {
		return res.Contents
	}
	return append(res.Contents, &wire.ToolShellExit{
		ShellID: res.Exit.Shell, ExitCode: int64(res.Exit.Code), OutputFilePath: wire.Optional(res.Saved), OutputTruncated: wire.Optional(res.Saved != ""),
	})
}

// files returns what the model sees in the form of the log.
func files(shown []tool.File) []wire.ToolBinary {
	var out []wire.ToolBinary
	for _, i := range shown {
		out = append(out, &wire.ToolImage{
			Discriminator: wire.KindOfBinary(i.MediaType), MIMEType: i.MediaType, Data: base64.StdEncoding.EncodeToString(i.Data), Description: &i.Path,
		})
	}
	return out
}

// textTooLong replaces a result that is too long for the log.
const textTooLong = "The tool's result is too long to be kept. Ask for less of it."

func interrupted() *tool.Result {
	return &tool.Result{Outcome: tool.Interrupted, Text: tool.TextInterrupted}
}
