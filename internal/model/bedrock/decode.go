package bedrock

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/model"
)

// decoder reads one answer: the events of a stream, or a whole one.
type decoder struct {
	answer
	begun   bool
	stopped bool // the reason for the end has come; usage may follow
}

// event is what the events of a stream have, whatever their types. Values of unexpected type
// count as absent.
type event struct {
	Index int `json:"contentBlockIndex"`
	Start struct {
		ToolUse *toolUse `json:"toolUse"`
	} `json:"start"`
	Delta      delta  `json:"delta"`
	StopReason string `json:"stopReason"`
	Usage      *usage `json:"usage"`
}

type toolUse struct {
	ID    string          `json:"toolUseId"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// delta is a piece of a block.
type delta struct {
	Text    string `json:"text"`
	ToolUse *struct {
		Input string `json:"input"`
	} `json:"toolUse"`
	Reasoning *struct {
		Text      string `json:"text"`
		Signature string `json:"signature"`
		Redacted  string `json:"redactedContent"` // base64
	} `json:"reasoningContent"`
	Citation *citation `json:"citation"`
}

// whole is an answer as one object.
type whole struct {
	Output struct {
		Message struct {
			Content []block `json:"content"`
		} `json:"message"`
	} `json:"output"`
	StopReason string `json:"stopReason"`
	Usage      *usage `json:"usage"`
}

// block is a block of a whole answer.
type block struct {
	Text      string   `json:"text"`
	ToolUse   *toolUse `json:"toolUse"`
	Reasoning *struct {
		Text struct {
			Text      string `json:"text"`
			Signature string `json:"signature"`
		} `json:"reasoningText"`
		Redacted string `json:"redactedContent"`
	} `json:"reasoningContent"`
	Cited *struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
		Citations []citation `json:"citations"`
	} `json:"citationsContent"`
}

// usage counts tokens. Input does not include what the cache had or got.
type usage struct {
	Input      float64 `json:"inputTokens"`
	Output     float64 `json:"outputTokens"`
	CacheRead  float64 `json:"cacheReadInputTokens"`
	CacheWrite float64 `json:"cacheWriteInputTokens"`
}

// counts returns the usage as callers know it: the prompt with what was cached.
func (u *usage) counts() model.Usage {
	if u == nil {
		return model.Usage{}
	}
	c := model.Usage{Output: model.Tokens(u.Output), CacheRead: model.Tokens(u.CacheRead), CacheWrite: model.Tokens(u.CacheWrite)}
	c.Input = model.Tokens(u.Input) + c.CacheRead + c.CacheWrite
	c.Reported = c.Input+c.Output > 0
	return c
}

// Event takes one event. Events of unknown type are ignored. The usage comes last, after the
// reason for the end.
func (d *decoder) Event(name string, data []byte) (done bool, err error) {
	if kind, ok := strings.CutPrefix(name, exception); ok {
		return false, failure(kind, data)
	}
	var e event
	if err := json.Unmarshal(data, &e); !model.ValidButMistyped(err) {
		return false, fmt.Errorf("the stream holds something else than JSON: %s", model.Excerpt(data, 120))
	}
	switch name {
	case "messageStart":
		d.begun = true
	case "contentBlockStart":
		d.begun = true
		return false, d.start(e.Index, e.Start.ToolUse)
	case "contentBlockDelta":
		d.begun = true
		return false, d.delta(e.Index, &e.Delta)
	case "messageStop":
		d.begun, d.stopped = true, true
		return false, d.stop(e.StopReason)
	case "metadata":
		d.head.Usage = e.Usage.counts()
		return d.stopped, nil
	}
	return false, nil
}

// failure makes an error of an exception within a stream. One that says that the request is wrong
// counts as an answer with that status, because its message says the rest.
func failure(kind string, data []byte) error {
	e := model.ReportedError(data)
	e.Type = cmp.Or(kind, e.Type)
	if kind == "ValidationException" {
		e.Status = http.StatusBadRequest
	}
	return e
}

// finishes are the values of stopReason, but for those of [decoder.stop].
// Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream, MessageStopEvent, 2026-11.
var finishes = lazy.Value[model.Finishes]{Make: func() model.Finishes {
	return model.Finishes{
		"end_turn": model.FinishStop, "stop_sequence": model.FinishStop, "tool_use": model.FinishToolCalls,
		"max_tokens": model.FinishLength, "model_context_window_exceeded": model.FinishWindow,
		"guardrail_intervened": model.FinishFilter, "content_filtered": model.FinishFilter, "refusal": model.FinishRefusal,
		"pause_turn": model.FinishPaused,
	}
}}

// Finishes returns the words with which answers of this dialect end, in lower case, and what they mean. It is
// not to be changed.
func Finishes() model.Finishes { return finishes.Get() }

// stop takes the reason for the end of an answer. The error is that the model wrote something that
// its server does not understand; the next attempt often succeeds.
func (d *decoder) stop(reason string) error {
	if reason == "malformed_model_output" || reason == "malformed_tool_use" {
		return &model.Error{Status: 500, Code: reason, Message: "the model wrote an answer that its server does not understand"}
	}
	d.head.FinishReason, d.head.FinishWord = finishes.Get().Of(reason), reason
	return nil
}

// Complete reports whether the answer may end here: once it has said why it ends.
func (d *decoder) Complete() bool { return d.stopped }

// Whole takes an answer that is not a stream.
func (d *decoder) Whole(data []byte) error {
	var w whole
	if err := json.Unmarshal(data, &w); !model.ValidButMistyped(err) || w.StopReason == "" {
		return model.ErrNoAnswer
	}
	d.begun = true
	for i := range w.Output.Message.Content {
		if err := d.block(i, &w.Output.Message.Content[i]); err != nil {
			return err
		}
	}
	d.head.Usage = w.Usage.counts()
	return d.stop(w.StopReason)
}

// Response returns the answer, nil if none has begun.
func (d *decoder) Response() *model.Response {
	if !d.begun {
		return nil
	}
	return d.response()
}
