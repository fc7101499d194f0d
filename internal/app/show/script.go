package show

import (
	"encoding/json"
	"io"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Script prints a run for a program: one object at its end (--output-format json), or a line for
// each event that programs need and that object as the last line (stream-json). docs/scripts.md
// documents the lines; their names are those of other agents, so that scripts need few changes.
type Script struct {
	Out    io.Writer
	Stream bool // a line for each event

	answer  string // the messages of the model that call no tools
	message string // the present one so far
}

// Result is the object at the end of a run.
type Result struct {
	Type    string `json:"type"` // "result"
	Subtype string `json:"subtype"`
	IsError bool   `json:"is_error"`
	// Outcome is done, denied, failed, exhausted, aborted or usage.
	Outcome  string `json:"outcome"`
	ExitCode int    `json:"exit_code"`
	// Result is the answer: the messages of the model that call no tools, a blank line between them.
	Result  string         `json:"result"`
	Error   *ResultError   `json:"error,omitempty"`
	Session string         `json:"session_id,omitempty"`
	Model   string         `json:"model,omitempty"`
	Turns   int            `json:"num_turns"`
	Millis  int64          `json:"duration_ms"`
	Usage   Usage          `json:"usage"`
	Cost    *float64       `json:"total_cost_usd"` // null if the price of a call is not known
	Denials []ResultDenial `json:"permission_denials,omitempty"`
}

// ResultError is why a run has failed.
type ResultError struct {
	Type    string `json:"type,omitempty"` // that of session.error, such as authentication
	Message string `json:"message"`
}

// Usage is the tokens of a run.
type Usage struct {
	In  int64 `json:"input_tokens"`
	Out int64 `json:"output_tokens"`
}

// ResultDenial is a tool call that was denied because there was no user to ask.
type ResultDenial struct {
	Kind  string `json:"kind"` // of the request: shell, write, read, url, mcp, custom-tool
	Title string `json:"title"`
	Call  string `json:"tool_use_id"`
	Hint  string `json:"hint"` // which flags allow it
}

// Init prints the first line of a stream, about the session.
func (p *Script) Init(session, model, cwd string) error {
	return p.line(map[string]any{"type": "init", "session_id": session, "model": model, "cwd": cwd})
}

// End prints the object at the end.
func (p *Script) End(r Result) error {
	p.settle()
	r.Type, r.Result = "result", p.answer
	return p.encode(r)
}

// Begin implements [Printer].
func (p *Script) Begin() {}

// Text implements [Printer].
func (p *Script) Text(piece string, begins bool) error {
	if begins {
		p.message = ""
	}
	p.message += piece
	return p.line(map[string]any{"type": "message", "role": "assistant", "content": piece, "delta": true, "begins": begins})
}

// Event implements [Printer].
func (p *Script) Event(e follow.Event) error {
	line := map[string]any{}
	switch e.Type {
	case "assistant.message", "session.task_complete":
		if e.AgentID == "" && !CallsTools(e) {
			p.settle()
		}
		return nil
	case "user.message":
		line["type"], line["role"], line["content"] = "message", "user", e.Get("content").Text()
	case "tool.execution_start":
		line["type"], line["tool_id"], line["tool_name"], line["parameters"] = "tool_use", e.Row.Call, e.Get("toolName").Text(), object(e.Get("arguments"))
	case "tool.execution_complete":
		p.result(e, line)
	case "session.warning":
		line["type"], line["message"] = "warning", e.Get("message").Text()
	case "session.error":
		line["type"], line["message"] = "error", e.Get("message").Text()
	default:
		return nil
	}
	if e.AgentID != "" {
		line["agent_id"] = e.AgentID
	}
	return p.line(line)
}

// settle takes over a message that is complete.
func (p *Script) settle() {
	if p.answer != "" && p.message != "" {
		p.answer += "\n\n"
	}
	p.answer += p.message
	p.message = ""
}

// result fills in the line of a tool's result.
func (p *Script) result(e follow.Event, line map[string]any) {
	line["type"], line["tool_id"], line["status"] = "tool_result", e.Row.Call, "success"
	line["output"] = e.Get("result").Get("content").Text()
	if !e.Get("success").True() {
		line["status"] = "error"
		line["error"] = e.Get("error").Get("message").Text()
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

// line prints a line of a stream.
func (p *Script) line(fields map[string]any) error {
	if !p.Stream {
		return nil
	}
	return p.encode(fields)
}

func (p *Script) encode(v any) error { return cli.EncodeJSON(p.Out, v) }
