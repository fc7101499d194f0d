package clienttools

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// maxFiles bounds the files that are read of an answer: twice as many as the model is shown of a
// result, because some cannot be shown.
const maxFiles = 40

// FoundByClient is the strategy of tool_search.activated for tools that the result of a client's tool names.
const FoundByClient = "client"

// Answer gives an open call its result, and returns once that is
// recorded: the client need not keep it any longer. It reports false if no such call is
// open, if the run of the call has been aborted, or if another client has taken over the tool and is attached: its answer is the one
// that counts.
// If ctx ends early, the answer may still count.
func (c *Tools) Answer(ctx context.Context, a wire.ToolCallAnswer) (ok bool, err error) {
	x := c.of
	w, err := mailbox.Ask(ctx, x.session.Do, func() (*call, error) {
		w := x.open[a.RequestID]
		if w == nil || c.missesAnswer(w.asked.Tool) {
			return nil, nil
		}
		if w.stopped != nil && w.stopped() != nil { // recall, which closes the call, may come only after this answer
			return nil, nil
		}
		x.taken(w)
		x.session.Emit(w.asked.AgentID, &wire.ExternalToolCompleted{RequestID: a.RequestID})
		w.result <- x.result(w.key(), a)
		return w, nil
	})
	if err != nil || w == nil {
		return false, err
	}
	select {
	case err := <-w.recorded:
		return err == nil, err
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// result reads a client's answer. A missing or unknown result type counts as
// success, or as failure when there is an error with it.
func (x *Calls) result(k callKey, a wire.ToolCallAnswer) tool.Result {
	if a.Error != nil {
		return tool.Result{Outcome: tool.Failure, Text: x.crashed(k), Error: *a.Error}
	}
	switch r := a.Result.(type) {
	case wire.ToolCallString:
		return tool.Result{Outcome: tool.Success, Text: string(r)}
	case *wire.ToolCallString:
		return tool.Result{Outcome: tool.Success, Text: string(*r)}
	case *wire.ToolCallText:
		res := tool.Result{Outcome: tool.Success, Text: r.TextResultForLlm, Telemetry: r.ToolTelemetry}
		if r.Error != nil {
			res.Outcome, res.Error = tool.Failure, *r.Error
		}
		res.Found = tool.Found{By: FoundByClient, Names: r.ToolReferences}
		x.attach(&res, r.BinaryResultsForLlm)
		res.Contents, res.Exit = blocks(r.Contents)
		if r.SessionLog != nil {
			res.Detail = *r.SessionLog
		}
		if r.ResultType != nil {
			res.Outcome = tool.ParseOutcome(*r.ResultType, res.Outcome)
		}
		return res
	}
	return tool.Result{Outcome: tool.Success}
}

// blocks returns the blocks of a client's answer as the event has them, and how a command has ended that
// the client has run, if one says so.
func blocks(sent []wire.AnswerContent) (contents []wire.ToolContent, exit *tool.Exit) {
	var read wire.ToolResult // the types differ, their JSON does not
	if data, err := wire.Marshal(map[string]any{"content": "", "contents": sent}); err != nil || json.Unmarshal(data, &read) != nil {
		return nil, nil
	}
	for _, block := range read.Contents {
		switch b := block.(type) {
		case *wire.ToolShellExit:
			exit = &tool.Exit{Code: int(b.ExitCode), Shell: b.ShellID}
		case *wire.ToolTerminal:
			if b.ExitCode != nil {
				exit = &tool.Exit{Code: int(*b.ExitCode)}
			}
		}
	}
	return read.Contents, exit
}

// crashed is what the model reads when the client's handler failed.
func (x *Calls) crashed(k callKey) string {
	c := tool.Call{AgentID: k.agentID, ID: k.toolCallID}
	t := x.session.State().Thread(k.agentID)
	if t == nil { // it was cleared meanwhile
		return turn.Crashed(c)
	}
	if open := t.Call(k.toolCallID); open != nil {
		c.Name, c.Arguments = open.Name, []byte(open.Arguments)
	}
	return turn.Crashed(c)
}

// attach adds the files of a client's answer to the result of a call. The model reads of those
// that cannot be shown to it. A result that fails has no files in the log, and none here.
func (x *Calls) attach(res *tool.Result, files []wire.ToolCallFile) {
	for i, f := range files {
		name := fmt.Sprintf("number %d", i+1)
		if f.Description != nil {
			name = cmp.Or(fault.Bounded(*f.Description), name)
		}
		data, err := base64.StdEncoding.DecodeString(f.Data)
		switch {
		case i >= maxFiles:
			res.Text += fmt.Sprintf("\n%d more files are left out.", len(files)-i)
			return
		case err != nil:
			res.Text += "\nThe file " + name + " cannot be shown: it is not base64"
		case strings.HasPrefix(f.MIMEType, "image/"), f.MIMEType == tool.TypePDF:
			res.Files = append(res.Files, tool.File{Path: name, MediaType: f.MIMEType, Data: data})
		default:
			res.Text += fmt.Sprintf("\n[the file %s of type %s, %d bytes, which cannot be shown]", name, fault.Bounded(f.MIMEType), len(data))
		}
	}
}
