package strict

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// responsesInput checks the items of a request in order.
type responsesInput struct {
	model  modelOf
	memory *memory
	prompt []string // what came so far
	calls  []string // of all calls so far
	open   []string // those whose results have not come yet
	// pending is that the item before is reasoning, which needs the item that it led to.
	pending bool
}

func (in *responsesInput) items(raw json.RawMessage) error {
	if text, ok := isText(raw); ok {
		in.prompt = append(in.prompt, text)
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return coded("missing_required_parameter", "input", "Missing required parameter: 'input'.")
	}
	for i, item := range list {
		if err := in.item(i, item); err != nil {
			return err
		}
		in.prompt = append(in.prompt, compact(item))
	}
	if in.pending {
		return bad("Item of type 'reasoning' was provided without its required following item.")
	}
	if len(in.open) > 0 { // jeffdafoe/llm-memory-api#179
		return coded("", "input", "No tool output found for function call %s.", in.open[0])
	}
	return nil
}

// item checks one item.
// Source: developers.openai.com/api/reference/resources/responses/create ("input").
func (in *responsesInput) item(i int, raw json.RawMessage) error {
	kind := kindOf(raw)
	after := in.pending
	in.pending = false
	switch kind {
	case "message", "":
		return in.message(i, raw, after)
	case "function_call":
		return in.call(i, raw)
	case "function_call_output":
		if after {
			return bad("Item of type 'reasoning' was provided without its required following item.")
		}
		return in.output(i, raw)
	case "reasoning":
		in.pending = true
		return in.reasoning(i, raw)
	}
	return coded("invalid_value", fmt.Sprintf("input[%d]", i), "Invalid value: '%s'.", kind)
}

func (in *responsesInput) message(i int, raw json.RawMessage, afterReasoning bool) error {
	var m struct {
		Type    string          `json:"type"`
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		Phase   string          `json:"phase"`
		ID      string          `json:"id"`
		Status  string          `json:"status"`
	}
	where := fmt.Sprintf("input[%d]", i)
	if err := exactly(raw, &m); err != nil {
		return coded("unknown_parameter", where, "Unknown parameter: '%s.%s'.", where, unknown(err))
	}
	switch {
	case !slices.Contains([]string{"user", "assistant", "system", "developer"}, m.Role):
		return coded("invalid_value", where, "Invalid value: '%s'. Supported values are: 'assistant', 'system', 'developer', and 'user'.", m.Role)
	case m.ID != "" && !strings.HasPrefix(m.ID, "msg"):
		return badID(where, m.ID, "msg")
	case afterReasoning && m.Role != "assistant":
		return bad("Item of type 'reasoning' was provided without its required following item.")
	case m.Phase != "" && m.Role != "assistant":
		return coded("unknown_parameter", where, "Unknown parameter: '%s.phase'.", where)
	}
	if _, ok := isText(m.Content); ok {
		return nil
	}
	var parts []json.RawMessage
	if json.Unmarshal(m.Content, &parts) != nil || len(parts) == 0 {
		return coded("invalid_type", where, "Invalid type for '%s.content'.", where)
	}
	for _, p := range parts {
		if err := responsesPart(p, m.Role, where); err != nil {
			return err
		}
	}
	return nil
}

// badID refuses the id of an item of another kind.
func badID(where, id, prefix string) error {
	return coded("invalid_value", where+".id", "Invalid '%s.id': '%s'. Expected an ID that begins with '%s'.", where, id, prefix)
}

func responsesPart(raw json.RawMessage, role, where string) error {
	var p struct {
		Type        string          `json:"type"`
		Text        *string         `json:"text"`
		Refusal     string          `json:"refusal"`
		ImageURL    string          `json:"image_url"`
		Detail      string          `json:"detail"`
		Name        string          `json:"filename"`
		Data        string          `json:"file_data"`
		Annotations json.RawMessage `json:"annotations"`
		Logprobs    json.RawMessage `json:"logprobs"`
	}
	if err := exactly(raw, &p); err != nil {
		return coded("unknown_parameter", where, "Unknown parameter: '%s.content.%s'.", where, unknown(err))
	}
	allowed := []string{"input_text", "input_image", "input_file"}
	switch role {
	case "assistant":
		allowed = []string{"output_text", "refusal"}
	case "system", "developer":
		allowed = []string{"input_text"}
	}
	switch {
	case !slices.Contains(allowed, p.Type):
		return coded("invalid_value", where, "Invalid value: '%s'. Supported values are: %v.", p.Type, allowed)
	case p.Type == "input_image":
		return openAIImage(p.ImageURL, where)
	case p.Type == "input_file":
		return openAIFile(p.Name, p.Data, where+".content")
	case p.Text == nil && p.Refusal == "":
		return coded("missing_required_parameter", where, "Missing required parameter: '%s.content.text'.", where)
	}
	return nil
}

func (in *responsesInput) call(i int, raw json.RawMessage) error {
	var c struct {
		Type      string  `json:"type"`
		CallID    string  `json:"call_id"`
		Name      string  `json:"name"`
		Arguments *string `json:"arguments"`
		ID        string  `json:"id"`
		Status    string  `json:"status"`
	}
	where := fmt.Sprintf("input[%d]", i)
	if err := exactly(raw, &c); err != nil {
		return coded("unknown_parameter", where, "Unknown parameter: '%s.%s'.", where, unknown(err))
	}
	switch {
	case c.CallID == "" || c.Arguments == nil:
		return coded("missing_required_parameter", where, "Missing required parameter: '%s.call_id'.", where)
	case c.ID != "" && !strings.HasPrefix(c.ID, "fc"):
		return badID(where, c.ID, "fc")
	case len(c.CallID) > 64: // openai/codex#14355
		return coded("string_above_max_length", where, "Invalid '%s.call_id': string too long. Expected a string with maximum length 64, but got a string with length %d instead.", where, len(c.CallID))
	case !plain(c.Name, 64):
		return coded("invalid_value", where, "Invalid '%s.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", where)
	case slices.Contains(in.calls, c.CallID):
		return bad("Duplicate item found with call_id %s.", c.CallID)
	case !json.Valid([]byte(*c.Arguments)):
		return bad("strict: the arguments of the call %s are not JSON", c.CallID)
	}
	in.calls = append(in.calls, c.CallID)
	in.open = append(in.open, c.CallID)
	return nil
}

func (in *responsesInput) output(i int, raw json.RawMessage) error {
	var o struct {
		Type   string          `json:"type"`
		CallID string          `json:"call_id"`
		Output json.RawMessage `json:"output"`
		ID     string          `json:"id"`
		Status string          `json:"status"`
	}
	where := fmt.Sprintf("input[%d]", i)
	if err := exactly(raw, &o); err != nil {
		return coded("unknown_parameter", where, "Unknown parameter: '%s.%s'.", where, unknown(err))
	}
	at := slices.Index(in.open, o.CallID)
	if at < 0 {
		return coded("", "input", "No tool call found for function call output with call_id %s.", o.CallID)
	}
	in.open = slices.Delete(in.open, at, at+1)
	if _, ok := isText(o.Output); ok {
		return nil
	}
	var parts []json.RawMessage
	if json.Unmarshal(o.Output, &parts) != nil || len(parts) == 0 {
		return coded("invalid_type", where, "Invalid type for '%s.output': expected one of a string or array of objects.", where)
	}
	for _, p := range parts {
		if err := responsesPart(p, "user", where); err != nil {
			return err
		}
	}
	return nil
}

// reasoning checks that encrypted reasoning is as it was given out, and after the same prompt.
// Source: developers.openai.com/api/docs/guides/reasoning ("Encrypted reasoning items") and
// .../guides/keep-prefix-unchanged.
func (in *responsesInput) reasoning(i int, raw json.RawMessage) error {
	var r struct {
		Type      string          `json:"type"`
		Summary   json.RawMessage `json:"summary"`
		Encrypted *string         `json:"encrypted_content"`
		Content   json.RawMessage `json:"content"`
		ID        string          `json:"id"`
		Status    string          `json:"status"`
	}
	where := fmt.Sprintf("input[%d]", i)
	if err := exactly(raw, &r); err != nil {
		return coded("unknown_parameter", where, "Unknown parameter: '%s.%s'.", where, unknown(err))
	}
	switch {
	case r.ID != "" && !strings.HasPrefix(r.ID, "rs"):
		return badID(where, r.ID, "rs")
	case r.Summary == nil:
		return coded("missing_required_parameter", where, "Missing required parameter: '%s.summary'.", where)
	case r.Encrypted == nil: // vercel/ai#7543
		return &refusal{status: 404, param: "input", message: "Item with id '" + r.ID + "' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input."}
	}
	g, ok := in.memory.given[*r.Encrypted]
	if !ok || g.model != in.model.id || g.content != compact(r.Summary) {
		return coded("invalid_encrypted_content", where, "The encrypted content could not be verified. Reason: Encrypted content could not be decrypted or parsed.")
	}
	if !g.unchanged(in.prompt) {
		in.memory.note("the reasoning at " + where + " is dropped: prefix_mismatch")
	}
	return nil
}
