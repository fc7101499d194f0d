package anthropic

import (
	"encoding/json"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/model"
)

// decoder reads one answer: the events of a stream, or a whole one.
type decoder struct {
	answer
	usage usage
	begun bool
	ended bool // the event that ends an answer has come
}

// event is one event of a stream. Values of unexpected type count as absent.
type event struct {
	Type    string          `json:"type"`
	Index   int             `json:"index"`
	Message *message        `json:"message"`
	Block   json.RawMessage `json:"content_block"`
	Usage   *usage          `json:"usage"`
	Delta   struct {
		Type       string       `json:"type"`
		Text       string       `json:"text"`
		Thinking   string       `json:"thinking"`
		Signature  string       `json:"signature"`
		JSON       string       `json:"partial_json"`
		StopReason string       `json:"stop_reason"`
		Details    *stopDetails `json:"stop_details"`
		Citation   *citation    `json:"citation"`
	} `json:"delta"`
}

// message is an answer as one object, and the head of a stream.
type message struct {
	Type       string            `json:"type"`
	ID         string            `json:"id"`
	Model      string            `json:"model"`
	Content    []json.RawMessage `json:"content"`
	StopReason string            `json:"stop_reason"`
	Details    *stopDetails      `json:"stop_details"`
	Usage      *usage            `json:"usage"`
}

// usage counts tokens. The counts of a stream are totals so far, and each event may leave some
// out. Input does not include what the cache had or got.
type usage struct {
	Input      *float64 `json:"input_tokens"`
	CacheRead  *float64 `json:"cache_read_input_tokens"`
	CacheWrite *float64 `json:"cache_creation_input_tokens"`
	Output     *float64 `json:"output_tokens"`
	Details    struct {
		Thinking *float64 `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// update takes the counts that are there.
func (u *usage) update(from *usage) {
	if from == nil {
		return
	}
	for _, pair := range [][2]**float64{
		{&u.Input, &from.Input},
		{&u.CacheRead, &from.CacheRead},
		{&u.CacheWrite, &from.CacheWrite},
		{&u.Output, &from.Output},
		{&u.Details.Thinking, &from.Details.Thinking},
	} {
		if *pair[1] != nil {
			*pair[0] = *pair[1]
		}
	}
}

// counts returns the usage as callers know it: the prompt with what was cached.
func (u *usage) counts() model.Usage {
	number := func(n *float64) int64 {
		if n == nil {
			return 0
		}
		return model.Tokens(*n)
	}
	c := model.Usage{
		CacheRead: number(u.CacheRead), CacheWrite: number(u.CacheWrite), Output: number(u.Output), Reasoning: number(u.Details.Thinking),
	}
	c.Input = number(u.Input) + c.CacheRead + c.CacheWrite
	c.Reported = c.Input+c.Output > 0
	return c
}

// Event takes one event. Events of unknown type are ignored, as the protocol asks for.
func (d *decoder) Event(name string, data []byte) (done bool, err error) {
	var e event
	if err := json.Unmarshal(data, &e); !model.ValidButMistyped(err) {
		return false, fmt.Errorf("the stream holds something else than JSON: %s", model.Excerpt(data, 120))
	}
	if e.Type == "" {
		e.Type = name
	}
	switch e.Type {
	case "error":
		return false, model.ReportedError(data)
	case "message_start":
		d.start(e.Message)
	case "content_block_start":
		d.begun = true
		return false, d.begin(e.Index, e.Block)
	case "content_block_delta":
		return false, d.delta(&e)
	case "message_delta":
		d.usage.update(e.Usage)
		d.stopped(e.Delta.StopReason, e.Delta.Details)
	case "message_stop":
		d.ended = true
		return true, nil
	}
	return false, nil
}

func (d *decoder) start(m *message) {
	d.begun = true
	if m != nil {
		d.head.ID, d.head.Model = m.ID, m.Model
		d.usage.update(m.Usage)
	}
}

func (d *decoder) delta(e *event) error {
	g := d.at(e.Index)
	if g == nil {
		return fmt.Errorf("the stream continues a block that it has not begun")
	}
	g.signature += e.Delta.Signature
	kept := len(e.Delta.Signature)
	if c := e.Delta.Citation; c != nil && len(g.block.Citations) < maxCitations {
		g.block.Citations = append(g.block.Citations, *c)
		kept += len(c.Cited)
	}
	if err := d.Keep(kept); err != nil {
		return err
	}
	return d.Grow(&g.Block, e.Delta.Text+e.Delta.Thinking+e.Delta.JSON)
}

// finishes are the values of stop_reason. After a compaction of the server, which this program does
// not ask for, and after a pause, the same conversation is sent again.
// Source: platform.claude.com/docs/en/build-with-claude/handling-stop-reasons, 2026-11.
var finishes = lazy.Value[model.Finishes]{Make: func() model.Finishes {
	return model.Finishes{
		"end_turn": model.FinishStop, "stop_sequence": model.FinishStop, "tool_use": model.FinishToolCalls,
		"max_tokens": model.FinishLength, "model_context_window_exceeded": model.FinishWindow, "refusal": model.FinishRefusal,
		"pause_turn": model.FinishPaused, "compaction": model.FinishPaused,
	}
}}

// Finishes returns the words with which answers of this dialect end, in lower case, and what they mean. It is
// not to be changed.
func Finishes() model.Finishes { return finishes.Get() }

// stopDetails say more about a refusal.
type stopDetails struct {
	Category string `json:"category"` // such as cyber
}

// stopped takes the reason for the end of an answer.
func (d *decoder) stopped(reason string, more *stopDetails) {
	if reason == "" {
		return
	}
	d.head.FinishReason, d.head.FinishWord = finishes.Get().Of(reason), reason
	if more != nil && more.Category != "" {
		d.head.FinishWord += ": " + more.Category
	}
}

// Complete reports whether the answer may end here: only the event that ends it says so.
func (d *decoder) Complete() bool { return d.ended }

// Whole takes an answer that is not a stream.
func (d *decoder) Whole(data []byte) error {
	var m message
	switch err := json.Unmarshal(data, &m); {
	case !model.ValidButMistyped(err):
		return model.ErrNoAnswer
	case m.Type == "error":
		return model.ReportedError(data)
	case m.Type != "message":
		return model.ErrNoAnswer
	}
	d.start(&m)
	for i, raw := range m.Content {
		if err := d.begin(i, raw); err != nil {
			return err
		}
	}
	d.stopped(m.StopReason, m.Details)
	return nil
}

// Response returns the answer, nil if none has begun.
func (d *decoder) Response() *model.Response {
	if !d.begun {
		return nil
	}
	r := d.response()
	r.Usage = d.usage.counts()
	return r
}
