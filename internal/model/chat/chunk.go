package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// chunk is one data line of a stream, or a whole answer: the same thing with
// "message" where a stream has "delta".
type chunk struct {
	ID, Model string
	Choices   []choice
	Usage     *model.Usage
	NanoAIU   int64           // see [model.Usage]
	Progress  *progress       // nil: the chunk does not say
	Err       json.RawMessage // what is wrong, in the provider's shape; nil if nothing
}

// progress is how much of the prompt llama.cpp has read, in tokens. Processed includes what was in the cache.
// Source: tools/server/README.md of llama.cpp, return_progress, 2026-11.
type progress struct {
	Total     float64 `json:"total"`
	Processed float64 `json:"processed"`
}

// absent is the index of a choice or call that does not say.
const absent = -1

type choice struct {
	Index           int
	Text, Reasoning string
	Field           string            // which reasoning came in; see reasoningFields
	Opaque          string            // reasoning that only the provider can read
	Details         []json.RawMessage // pieces of reasoning that go back to the provider together
	Finish          string
	Refused         bool // some of Text is a refusal
	Calls           []fragment
}

// fragment is a piece of a tool call.
type fragment struct {
	Index               int
	ID, Name, Arguments string
	Whole               bool   // the fragment is the whole call
	Signature           string // of the call, which goes back to the provider
}

// Decoding has two paths that agree, as FuzzChunk checks. chunkScanner reads the shape that
// nearly every line has, in a tenth of the time. The path of this file, over
// encoding/json, reads every line and defines what it means.

type shapeChunk struct {
	ID      string          `json:"id"`
	Model   string          `json:"model"`
	Choices []shapeChoice   `json:"choices"`
	Object  string          `json:"object"` // "error" of older vLLM
	Usage   *shapeUsage     `json:"usage"`
	Error   json.RawMessage `json:"error"`
	Cost    struct {
		Total float64 `json:"total_nano_aiu"`
	} `json:"copilot_usage"`
	Progress *progress `json:"prompt_progress"`
}

type shapeChoice struct {
	Index        *int        `json:"index"`
	Delta        *shapePart  `json:"delta"`
	Message      *shapePart  `json:"message"`
	FinishReason string      `json:"finish_reason"`
	Usage        *shapeUsage `json:"usage"` // of Moonshot
}

// shapePart is a delta, or a whole message.
type shapePart struct {
	Content          json.RawMessage   `json:"content"` // a string, or a list of parts
	Refusal          string            `json:"refusal"`
	ReasoningContent string            `json:"reasoning_content"`
	Reasoning        string            `json:"reasoning"`
	ReasoningText    string            `json:"reasoning_text"`
	ReasoningOpaque  string            `json:"reasoning_opaque"`
	ReasoningDetails []json.RawMessage `json:"reasoning_details"` // of OpenRouter
	ToolCalls        []shapeCall       `json:"tool_calls"`
}

type shapeCall struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"` // a string, or the object itself
	} `json:"function"`
	Extra struct {
		Google struct {
			Signature string `json:"thought_signature"`
		} `json:"google"`
	} `json:"extra_content"` // of Gemini
}

// decodeChunk reads any JSON object. Values of unexpected type count as absent;
// it fails only if the data is not a JSON object.
func decodeChunk(data []byte) (*chunk, error) {
	var s shapeChunk
	if trimmed := bytes.TrimLeft(data, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return nil, errors.New("not a JSON object")
	}
	if err := json.Unmarshal(data, &s); !model.ValidButMistyped(err) {
		return nil, err
	}
	c := &chunk{ID: s.ID, Model: s.Model, Usage: s.Usage.usage(), NanoAIU: model.Tokens(s.Cost.Total), Progress: s.Progress, Err: model.NonNull(s.Error)}
	if s.Object == "error" && c.Err == nil {
		c.Err = data
	}
	for _, sc := range s.Choices {
		c.Choices = append(c.Choices, sc.choice())
		if c.Usage == nil {
			c.Usage = sc.Usage.usage()
		}
	}
	return c, nil
}

func (s *shapeChoice) choice() choice {
	c := choice{Index: indexOf(s.Index), Finish: s.FinishReason}
	s.Delta.addTo(&c, false)
	s.Message.addTo(&c, true)
	return c
}

func (p *shapePart) addTo(c *choice, whole bool) {
	if p == nil {
		return
	}
	text, thought := contentText(p.Content)
	c.Text += text + p.Refusal
	c.Refused = c.Refused || p.Refusal != ""
	if thought != "" {
		c.Reasoning += thought
		c.Field = thinkingParts
	}
	for i, text := range [...]string{p.ReasoningContent, p.Reasoning, p.ReasoningText} { // as reasoningFields
		if text != "" {
			c.Reasoning += text
			c.Field = reasoningFields[i]
			break
		}
	}
	c.Details = append(c.Details, p.ReasoningDetails...)
	if p.ReasoningOpaque != "" {
		c.Opaque = p.ReasoningOpaque
	}
	for _, sc := range p.ToolCalls {
		c.Calls = append(c.Calls, fragment{
			Index: indexOf(sc.Index), ID: sc.ID, Whole: whole,
			Name: sc.Function.Name, Arguments: argumentText(sc.Function.Arguments), Signature: sc.Extra.Google.Signature,
		})
	}
}

func indexOf(p *int) int {
	if p == nil || *p < 0 {
		return absent
	}
	return *p
}

// contentText returns a string as it is, and of a list, the form that Mistral's reasoning models
// use, the texts and the thoughts joined.
func contentText(raw json.RawMessage) (text, thought string) {
	if len(raw) == 0 || raw[0] != '[' {
		return stringOrEmpty(raw), ""
	}
	var parts []struct {
		Text     string          `json:"text"`
		Thinking json.RawMessage `json:"thinking"` // a list of texts again, or a string
	}
	var said, thoughts strings.Builder
	if model.ValidButMistyped(json.Unmarshal(raw, &parts)) {
		for _, p := range parts {
			said.WriteString(p.Text)
			if t, _ := contentText(p.Thinking); t != "" {
				thoughts.WriteString(t)
			}
		}
	}
	return said.String(), thoughts.String()
}

// argumentText returns a string's value; an object, sent by servers that do not
// quote it, as compact JSON with its keys in order.
func argumentText(raw json.RawMessage) string {
	if len(raw) == 0 || raw[0] == '"' || raw[0] == 'n' {
		return stringOrEmpty(raw)
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

func stringOrEmpty(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}
