package modeltest

import (
	"fmt"
	"os"

	"go.yaml.in/yaml/v3"
)

// Recording is a set of conversations with a real model, in the form of the test harness
// of the Copilot SDKs: ${workdir} stands for the directory in which the tools ran, ${shell}
// and similar names for shell tools, ${system} for the system message. Tool-call ids are
// numbered from toolcall_0 in each conversation.
//
// Source: test/harness/replayingCapiProxy.ts of github/copilot-sdk at cc0438d.
type Recording struct {
	// Models are those GET /models lists; none: claude-sonnet-4.5.
	Models        []string
	Failures      []RecordedFailure
	Conversations [][]Message
}

// RecordedFailure is the answer to exactly this conversation.
type RecordedFailure struct {
	Model      string // only for this model; empty: for any
	Status     int
	Code       string
	Message    string
	RetryAfter int // seconds; 0: not said
	Messages   []Message
}

type yamlRecording struct {
	Models []string `yaml:"models"`
	Errors []struct {
		Model      string        `yaml:"model"`
		Status     int           `yaml:"status"`
		Code       string        `yaml:"code"`
		Message    string        `yaml:"message"`
		RetryAfter int           `yaml:"retryAfterSeconds"`
		Messages   []yamlMessage `yaml:"messages"`
	} `yaml:"errors"`
	Conversations []struct {
		Messages []yamlMessage `yaml:"messages"`
	} `yaml:"conversations"`
}

type yamlMessage struct {
	Role       string `yaml:"role"`
	Content    string `yaml:"content"`
	ToolCallID string `yaml:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `yaml:"id"`
		Function struct {
			Name      string `yaml:"name"`
			Arguments string `yaml:"arguments"`
		} `yaml:"function"`
	} `yaml:"tool_calls"`
}

// LoadRecording reads a recording from a YAML file.
func LoadRecording(path string) (*Recording, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var y yamlRecording
	if err := yaml.Unmarshal(data, &y); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return y.recording(), nil
}

func (y *yamlRecording) recording() *Recording {
	r := &Recording{Models: y.Models}
	for _, c := range y.Conversations {
		r.Conversations = append(r.Conversations, messages(c.Messages))
	}
	for _, e := range y.Errors {
		r.Failures = append(r.Failures, RecordedFailure{
			e.Model, e.Status, e.Code, e.Message, e.RetryAfter, messages(e.Messages),
		})
	}
	return r
}

func messages(list []yamlMessage) []Message {
	out := make([]Message, len(list))
	for i, y := range list {
		m := Message{Role: y.Role, Content: y.Content, ToolCallID: y.ToolCallID}
		for _, c := range y.ToolCalls {
			m.ToolCalls = append(m.ToolCalls, ToolCall{c.ID, c.Function.Name, c.Function.Arguments})
		}
		out[i] = m
	}
	return out
}
