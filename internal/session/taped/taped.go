// Package taped puts the recorded result of a tool in place of a call, and the recorded decision in place of a
// question to the user, and records both. The calls of models are recorded by the transports of package
// [tape]; a session does the same with [Calls] for those of tools.
package taped

import (
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/tape"
	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Tape is the recording of a process: where calls are recorded, or what they are answered from.
type Tape struct {
	Recorder *tape.Recorder // nil: nothing is recorded
	Player   *tape.Player   // nil: calls are made
}

// Calls are the calls of tools in one conversation. Those of the zero value are made, and not recorded.
type Calls struct {
	Tape
	// Place is where the calls belong.
	Place model.Place
	// Secrets are kept out of the recording.
	Secrets *obs.Redactor
	// Logger gets one warning for each result that cannot be recorded.
	Logger *slog.Logger
}

// Active reports whether calls are recorded, or answered from a recording.
func (t Calls) Active() bool { return t.Player != nil || t.Recorder != nil }

// recorded reports whether results of a tool are recorded: of those that act on files, programs and
// the network. The others act on the session or ask a client, and are called in a replay, too.
func recorded(d tool.Definition) bool {
	return d.Origin == tool.MCP || d.Origin == tool.Builtin && fact.Of(d.Name).Taping != fact.Live
}

// asks is recorded for a tool of which its permission request is known.
func asks(q *permit.Request, c *tool.Call) bool {
	return q.Kind == permit.MCP || q.Kind != permit.CustomTool && fact.Of(c.Name).Taping == fact.Recorded
}

// Result runs a tool and records its result, or returns the recorded one in place of the call. It implements
// [turn.Prompt].Taped. A replay fails a call that was not recorded, and does not run it.
func (t Calls) Result(d tool.Definition, c tool.Call, run func() tool.Result) tool.Result {
	if !recorded(d) {
		return run()
	}
	call := t.named(&c)
	if t.Player != nil && t.Player.Tools() {
		data, err := t.Player.Tool(t.Place, call)
		var res *tool.Result
		if err == nil {
			res, err = decode(data)
		}
		if err != nil {
			return tool.Result{Outcome: tool.Failure, Text: err.Error()}
		}
		return *res
	}
	res := run()
	if t.Recorder != nil {
		data, err := encode(&res)
		if err != nil {
			t.Logger.Warn("the result of a tool was not recorded", "tool", c.Name, "call", c.ID, "err", err)
			return res
		}
		t.Recorder.Tool(t.Place, call, t.Secrets.RedactData(data, true))
	}
	return res
}

// named is a call of a tool as recordings name it, without the secrets of the session.
func (t Calls) named(c *tool.Call) tape.ToolCall {
	return tape.ToolCall{ID: c.ID, Name: c.Name, Arguments: t.Secrets.RedactData(c.Arguments, true)}
}

// Replay has a call of a tool use the recorded decision on it where a client would be asked. A call
// whose result is recorded does nothing, so that one without a recorded decision is allowed.
func (t Calls) Replay(q *permit.Request, c *tool.Call) {
	if t.Player == nil || !t.Player.Tools() || !asks(q, c) {
		return
	}
	a := permit.Answer{Outcome: permit.Approved}
	if v, ok := t.Player.Permission(t.Place, t.named(c)); ok {
		a = permit.Answer{Outcome: decisionOf(v.Outcome), Feedback: v.Feedback, Why: v.Why}
	}
	c.Replayed = &a
}

// Record records the decision on a call of a tool whose result is recorded.
func (t Calls) Record(q *permit.Request, c *tool.Call, a permit.Answer) {
	if t.Recorder == nil || !asks(q, c) || a.Outcome == permit.Canceled {
		return
	}
	t.Recorder.Permission(t.Place, t.named(c), tape.Verdict{
		Outcome: decisions()[a.Outcome], Feedback: t.Secrets.RedactPiece(a.Feedback), Why: t.Secrets.RedactPiece(a.Why),
	})
}

// decisions are the decisions on permission requests, as recordings name them.
func decisions() map[permit.Outcome]string {
	return map[permit.Outcome]string{
		permit.Approved: "approved", permit.Rejected: "rejected", permit.Forbidden: "forbidden", permit.Unanswerable: "unanswerable",
	}
}

// decisionOf is the reverse; a decision that is not known denies.
func decisionOf(name string) permit.Outcome {
	for outcome, known := range decisions() {
		if known == name {
			return outcome
		}
	}
	return permit.Unanswerable
}

// recordedResult is the result of a tool in a recording. Of the events that follow from a call, only
// warnings are kept: others refer to files of the recorded session.
type recordedResult struct {
	Outcome   tool.Outcome          `json:"outcome"`
	Text      string                `json:"text,omitempty"`
	Error     string                `json:"error,omitempty"`
	Detail    string                `json:"detail,omitempty"`
	Telemetry map[string]any        `json:"telemetry,omitempty"`
	Exit      *recordedExit         `json:"exit,omitempty"` // absent in recordings of earlier versions
	Sandboxed bool                  `json:"sandboxed,omitempty"`
	StoppedBy string                `json:"stoppedBy,omitempty"`
	Remedy    wire.Remediation      `json:"remediation,omitempty"`
	Files     []recordedFile        `json:"files,omitempty"`
	MCP       *wire.ToolResult      `json:"mcp,omitempty"` // contents and structured content
	Found     []string              `json:"found,omitempty"`
	FoundBy   string                `json:"foundBy,omitempty"`
	Warnings  []wire.SessionWarning `json:"warnings,omitempty"`
}

type recordedExit struct {
	Code  int    `json:"code"`
	Shell string `json:"shell"`
}

type recordedFile struct {
	Path      string `json:"path"`
	MediaType string `json:"mediaType"`
	Data      []byte `json:"base64"`
}

func encode(r *tool.Result) ([]byte, error) {
	kept := recordedResult{
		Outcome: r.Outcome, Text: r.Text, Error: r.Error, Detail: r.Detail, Telemetry: r.Telemetry,
		Exit: (*recordedExit)(r.Exit), Sandboxed: r.Sandboxed, StoppedBy: r.StoppedBy, Remedy: r.Remedy, Found: r.Found.Names, FoundBy: r.Found.By,
	}
	for _, i := range r.Files {
		kept.Files = append(kept.Files, recordedFile(i))
	}
	if r.Contents != nil || r.Structured != nil {
		kept.MCP = &wire.ToolResult{Contents: r.Contents}
		if r.Structured != nil {
			kept.MCP.StructuredContent = r.Structured
		}
	}
	for _, e := range r.After {
		if w, ok := e.(*wire.SessionWarning); ok {
			kept.Warnings = append(kept.Warnings, *w)
		}
	}
	return json.Marshal(kept)
}

func decode(data []byte) (*tool.Result, error) {
	var kept recordedResult
	if err := json.Unmarshal(data, &kept); err != nil {
		return nil, fmt.Errorf("replay: the recorded result cannot be read: %w", fault.JSON(err))
	}
	r := &tool.Result{
		Outcome: kept.Outcome, Text: kept.Text, Error: kept.Error, Detail: kept.Detail, Telemetry: kept.Telemetry,
		Exit: (*tool.Exit)(kept.Exit), Sandboxed: kept.Sandboxed, StoppedBy: kept.StoppedBy, Remedy: kept.Remedy, Found: tool.Found{Names: kept.Found, By: kept.FoundBy},
	}
	for _, i := range kept.Files {
		r.Files = append(r.Files, tool.File(i))
	}
	if kept.MCP != nil {
		r.Contents = kept.MCP.Contents
		if kept.MCP.StructuredContent != nil {
			structured, err := json.Marshal(kept.MCP.StructuredContent)
			if err != nil {
				return nil, err
			}
			r.Structured = structured
		}
	}
	for i := range kept.Warnings {
		r.After = append(r.After, &kept.Warnings[i])
	}
	return r, nil
}
