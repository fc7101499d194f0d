package session

import (
	"encoding/json"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

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

func encodeResult(r *tool.Result) ([]byte, error) {
	kept := recordedResult{
		Outcome: r.Outcome, Text: r.Text, Error: r.Error, Detail: r.Detail, Telemetry: r.Telemetry,
		Exit: (*recordedExit)(r.Exit), Sandboxed: r.Sandboxed, StoppedBy: r.StoppedBy, Remedy: r.Remedy,
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

func decodeResult(data []byte) (*tool.Result, error) {
	var kept recordedResult
	if err := json.Unmarshal(data, &kept); err != nil {
		return nil, fmt.Errorf("replay: the recorded result cannot be read: %w", fault.JSON(err))
	}
	r := &tool.Result{
		Outcome: kept.Outcome, Text: kept.Text, Error: kept.Error, Detail: kept.Detail, Telemetry: kept.Telemetry,
		Exit: (*tool.Exit)(kept.Exit), Sandboxed: kept.Sandboxed, StoppedBy: kept.StoppedBy, Remedy: kept.Remedy,
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
