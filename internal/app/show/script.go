package show

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Script prints a run for a program: one object at its end (--output-format json), or a line for
// each event that programs need and that object as the last line (stream-json). docs/scripts.md
// documents the lines; their names are those of other agents, so that scripts need few changes.
type Script struct {
	Out    io.Writer
	Stream bool // a line for each event

	beside *Answer // prints the warnings to stderr, and nothing else
	model  string  // that the session has changed to; "" is none
	mode   string  // the same
}

// NewScript prints to stdout, and warnings also to stderr. stream has it print a line for each event.
func NewScript(sys cli.System, stream bool) *Script {
	p := &Script{Out: sys.Stdout, Stream: stream}
	sys.Stdout = io.Discard
	p.beside = NewAnswer(sys)
	p.beside.rows.quiet = true
	return p
}

// Result is the object at the end of a run.
type Result struct {
	Type    string `json:"type"` // "result"
	Subtype string `json:"subtype"`
	IsError bool   `json:"is_error"`
	// Outcome is done, denied, incomplete, failed, exhausted, aborted or usage.
	Outcome  string `json:"outcome"`
	ExitCode int    `json:"exit_code"`
	// FinishReason is why the last answer ended: stop, or as in [wire.FieldFinish]; "" if the run
	// has ended for another reason.
	FinishReason string `json:"finish_reason,omitempty"`
	// Result is the answer, as [Reply] has it.
	Result string `json:"result"`
	// Structured is the answer as JSON that fits the schema of --output-schema; nil without one.
	Structured json.RawMessage `json:"structured_output,omitempty"`
	Error      *ResultError    `json:"error,omitempty"`
	Session    string          `json:"session_id,omitempty"`
	Model      string          `json:"model,omitempty"` // that answered last
	Mode       string          `json:"mode,omitempty"`  // of the session at the end
	Timestamp  string          `json:"timestamp"`       // of the end
	Turns      int             `json:"num_turns"`
	Millis     int64           `json:"duration_ms"`
	Usage      Usage           `json:"usage"`
	Cost       *float64        `json:"total_cost_usd"` // null if the price of a call is not known
	Denials    []ResultDenial  `json:"permission_denials,omitempty"`
	// Ended are the commands that still ran in the background, and were ended with the run.
	Ended    []EndedCommand `json:"ended_commands,omitempty"`
	Warnings []string       `json:"warnings,omitempty"`
}

// EndedCommand is a command in the background that was ended before it was done.
type EndedCommand struct {
	Shell   string `json:"shell_id"`
	Command string `json:"command"`
}

// ResultError is why a run has failed.
type ResultError struct {
	Type    string `json:"type,omitempty"` // that of session.error, such as authentication
	Message string `json:"message"`
}

// Usage is the tokens of a run. In includes Cached and Written, which providers have taken from their caches and
// written to them.
type Usage struct {
	In      int64 `json:"input_tokens"`
	Out     int64 `json:"output_tokens"`
	Cached  int64 `json:"cache_read_input_tokens"`
	Written int64 `json:"cache_creation_input_tokens"`
}

// ResultDenial is a tool call that was denied because there was no user to ask.
type ResultDenial struct {
	Kind  string `json:"kind"` // of the request: shell, write, read, url, mcp, custom-tool
	Title string `json:"title"`
	Call  string `json:"tool_use_id"`
	Hint  string `json:"hint"` // which flags allow it
}

// Init prints the first line of a stream, about the session.
func (p *Script) Init(session, model, mode, cwd string) error {
	return p.line(map[string]any{"type": "init", "session_id": session, "model": model, "mode": mode, "cwd": cwd})
}

// Warn prints a warning that no event holds.
func (p *Script) Warn(text string) error {
	if err := p.beside.row(timeline.Row{Kind: timeline.Warning, Title: text}); err != nil {
		return err
	}
	return p.line(map[string]any{"type": "warning", "message": text})
}

// End prints the object at the end.
func (p *Script) End(r Result) error {
	r.Type, r.Timestamp, r.Warnings = "result", wire.FormatTime(time.Now()), p.beside.rows.warned
	r.Model, r.Mode = cmp.Or(p.model, r.Model), cmp.Or(p.mode, r.Mode)
	return p.encode(r)
}

// Begin implements [Printer].
func (p *Script) Begin() {}

// Text implements [Printer].
func (p *Script) Text(piece string, begins bool) error {
	return p.line(map[string]any{"type": "message", "role": "assistant", "content": piece, "delta": true, "begins": begins})
}

// Event implements [Printer].
func (p *Script) Event(e follow.Event) error {
	if err := p.beside.Event(e); err != nil {
		return err
	}
	line := map[string]any{}
	if !e.Time.IsZero() {
		line["timestamp"] = wire.FormatTime(e.Time)
	}
	switch e.Type {
	case "session.model_change":
		if e.AgentID == "" {
			p.model = e.Get("newModel").Text()
		}
		return nil
	case "session.mode_changed":
		p.mode = e.Get("newMode").Text()
		return nil
	case "user.message":
		line["type"], line["role"], line["content"] = "message", "user", e.Get("content").Text()
	case "tool.execution_start":
		line["type"], line["tool_id"], line["tool_name"], line["parameters"] = "tool_use", e.Row.Call, e.Get("toolName").Text(), object(e.Get("arguments"))
	case "tool.execution_complete":
		p.result(e, line)
	case "assistant.turn_retry":
		line["type"], line["message"] = "answer_broken", e.Row.Title
	case "session.warning":
		line["type"], line["message"] = "warning", e.Get("message").Text()
		if finish := e.Get(wire.FieldFinish).Text(); finish != "" {
			line["finish_reason"] = finish
		}
	case "session.error":
		line["type"], line["message"] = "error", e.Get("message").Text()
	default:
		if e.Row.Kind != timeline.Warning {
			return nil
		}
		line["type"], line["message"] = "warning", e.Row.Title
	}
	if e.AgentID != "" {
		line["agent_id"] = e.AgentID
	}
	return p.line(line)
}

// result fills in the line of a tool's result. A command whose exit code is not 0 has failed, as for
// the user.
func (p *Script) result(e follow.Event, line map[string]any) {
	line["type"], line["tool_id"], line["status"] = "tool_result", e.Row.Call, "success"
	line["output"] = e.Get("result").Get("content").Text()
	if code := e.Row.Exit; code != nil {
		line["exit_code"] = *code
		if *code != 0 {
			line["status"], line["error"] = "error", fmt.Sprintf("exit code %d", *code)
		}
	}
	if !e.Get("success").True() {
		failure := e.Get("error")
		line["status"], line["error"] = "error", failure.Get("message").Text()
		if code := failure.Get("code").Text(); code != "" {
			line["error_code"] = code
		}
	}
}

// object is arguments of a tool as they are, null for none.
func object(raw wire.Raw) json.RawMessage {
	if !json.Valid(raw) {
		return json.RawMessage("null")
	}
	return json.RawMessage(raw)
}

// Note implements [Printer].
func (p *Script) Note(text string) error {
	return p.line(map[string]any{"type": "note", "message": text})
}

// Progress implements [Printer].
func (p *Script) Progress(text string) error { return p.Note(text) }

// Finish implements [Printer].
func (p *Script) Finish() error { return nil }

// line prints a line of a stream, with the time of now unless it has one.
func (p *Script) line(fields map[string]any) error {
	if !p.Stream {
		return nil
	}
	if fields["timestamp"] == nil {
		fields["timestamp"] = wire.FormatTime(time.Now())
	}
	return p.encode(fields)
}

func (p *Script) encode(v any) error { return cli.EncodeJSON(p.Out, v) }
