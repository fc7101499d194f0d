package modeltest

import (
	"encoding/json"
	"fmt"
	"time"
)

// The two shapes of an answer on the wire: chat.completion and its chunks.

type wireAnswer struct {
	ID      string       `json:"id"`
	Object  string       `json:"object"`
	Created int64        `json:"created"`
	Model   string       `json:"model"`
	Choices []wireChoice `json:"choices"`
	Usage   *wireUsage   `json:"usage,omitempty"`
}

type wireChoice struct {
	Index    int       `json:"index"`
	Delta    *wirePart `json:"delta,omitempty"`
	Message  *wirePart `json:"message,omitempty"`
	Logprobs *struct{} `json:"logprobs"`
	Finish   *string   `json:"finish_reason"`
}

type wirePart struct {
	Role      string     `json:"role,omitempty"`
	Content   *string    `json:"content,omitempty"`
	Reasoning string     `json:"reasoning_content,omitempty"`
	ToolCalls []wireCall `json:"tool_calls,omitempty"`
}

type wireCall struct {
	Index    *int   `json:"index,omitempty"`
	ID       string `json:"id,omitempty"`
	Type     string `json:"type,omitempty"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type wireUsage struct {
	Prompt        int `json:"prompt_tokens"`
	Completion    int `json:"completion_tokens"`
	Total         int `json:"total_tokens"`
	PromptDetails struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

func (u *Usage) wire() *wireUsage {
	if u == nil {
		return nil
	}
	w := &wireUsage{Prompt: u.Input, Completion: u.Output, Total: u.Input + u.Output}
	w.PromptDetails.Cached, w.CompletionDetails.Reasoning = u.CacheRead, u.Reasoning
	return w
}

// head returns an answer without choices.
func head(id, object, model string) wireAnswer {
	return wireAnswer{ID: id, Object: object, Created: time.Now().Unix(), Model: model, Choices: []wireChoice{}}
}

// wholeAnswer encodes a chat.completion.
func wholeAnswer(id, model string, choices []Choice, usage *wireUsage) string {
	a := head(id, "chat.completion", model)
	a.Usage = usage
	for i, c := range choices {
		part := &wirePart{Role: "assistant", Reasoning: c.Reasoning}
		if c.Text != "" {
			part.Content = &c.Text
		}
		for _, call := range c.ToolCalls {
			part.ToolCalls = append(part.ToolCalls, call.wire(nil, call.Name, call.Arguments))
		}
		a.Choices = append(a.Choices, wireChoice{Index: i, Message: part, Finish: &c.Finish})
	}
	return encode(a)
}

// wire returns the call, or a fragment of it.
func (c ToolCall) wire(index *int, name, arguments string) wireCall {
	w := wireCall{Index: index, ID: c.ID, Type: "function"}
	w.Function.Name, w.Function.Arguments = name, arguments
	return w
}

// named gives calls without an id one, counting on from n.
func named(calls []ToolCall, n *int) []ToolCall {
	out := append([]ToolCall(nil), calls...)
	for i := range out {
		if out[i].ID == "" {
			out[i].ID = fmt.Sprintf("call_%d", *n)
		}
		*n++
	}
	return out
}

func errorBody(code, message string) string {
	type detail struct {
		Message string `json:"message"`
		Type    string `json:"type"`
		Code    string `json:"code"`
	}
	return encode(map[string]detail{"error": {message, code, code}})
}

// encode is for values that always marshal.
func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// split cuts s into pieces of n characters; none for an empty s.
func split(s string, n int) (pieces []string) {
	runes := []rune(s)
	for len(runes) > n {
		pieces = append(pieces, string(runes[:n]))
		runes = runes[n:]
	}
	if len(runes) > 0 {
		pieces = append(pieces, string(runes))
	}
	return pieces
}
