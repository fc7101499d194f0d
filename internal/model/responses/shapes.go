package responses

import (
	"bytes"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// event is one event of a stream. Values of unexpected type count as absent.
type event struct {
	Type     string          `json:"type"`
	Index    *int            `json:"output_index"`
	Part     int             `json:"summary_index"`
	Delta    string          `json:"delta"`
	Item     json.RawMessage `json:"item"`
	Response *whole          `json:"response"`
	Status   int             `json:"status"`
	Error    json.RawMessage `json:"error"`
}

// whole is an answer as one object: that of a call without a stream, and the last one of a
// stream.
type whole struct {
	ID         string            `json:"id"`
	Object     string            `json:"object"`
	Model      string            `json:"model"`
	Status     string            `json:"status"`
	Output     []json.RawMessage `json:"output"`
	Usage      *usage            `json:"usage"`
	Error      json.RawMessage   `json:"error"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Cost struct {
		Total float64 `json:"total_nano_aiu"`
	} `json:"copilot_usage"`
}

// item is one item of the output: a message, reasoning, or a call.
type item struct {
	Type      string    `json:"type"`
	Phase     string    `json:"phase"`
	Content   []content `json:"content"`
	Summary   []content `json:"summary"`
	CallID    string    `json:"call_id"`
	Name      string    `json:"name"`
	Arguments string    `json:"arguments"`
	Encrypted string    `json:"encrypted_content"`
}

// content is a piece of an item's text.
type content struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Refusal string `json:"refusal"`
}

// usage has counts as floats because some gateways write 12.0.
type usage struct {
	Input        float64 `json:"input_tokens"`
	Output       float64 `json:"output_tokens"`
	InputDetails struct {
		Cached float64 `json:"cached_tokens"`
		Write  float64 `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
	OutputDetails struct {
		Reasoning float64 `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

// decode reads JSON into to. It fails only if the data is not JSON.
func decode(data []byte, to any) error {
	if err := json.Unmarshal(data, to); !model.ValidButMistyped(err) {
		return err
	}
	return nil
}

// counts returns the usage as callers know it.
func (u *usage) counts(cost float64) model.Usage {
	if u == nil {
		return model.Usage{NanoAIU: model.Tokens(cost)}
	}
	c := model.Usage{
		Input: model.Tokens(u.Input), Output: model.Tokens(u.Output), CacheRead: model.Tokens(u.InputDetails.Cached),
		CacheWrite: model.Tokens(u.InputDetails.Write), Reasoning: model.Tokens(u.OutputDetails.Reasoning), NanoAIU: model.Tokens(cost),
	}
	c.Reported = c.Input+c.Output > 0
	return c
}

// text joins the pieces of an item's text, those of a summary as paragraphs.
func text(pieces []content, between string) string {
	var b bytes.Buffer
	for _, p := range pieces {
		if b.Len() > 0 {
			b.WriteString(between)
		}
		b.WriteString(p.Text + p.Refusal)
	}
	return b.String()
}

// returnable is an item in the form in which it is sent back: without its id and state, because
// the server has not stored it and does not find it by its id (vercel/ai#7543).
func returnable(raw json.RawMessage) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return ""
	}
	delete(members, "id")
	delete(members, "status")
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	if to.Encode(members) != nil {
		return ""
	}
	return string(bytes.TrimSpace(b.Bytes()))
}
