package provider

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/known"
	"github.com/sidestick-dev/sidestick/internal/turn"
)

// ResponseFormat reads the form in which a message wants its answer; nil for nil. The error says what is wrong
// with it.
func ResponseFormat(raw json.RawMessage) (*model.ResponseFormat, error) {
	if raw == nil {
		return nil, nil
	}
	var f struct {
		Type   string `json:"type"`
		Schema struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Schema      json.RawMessage `json:"schema"`
			Strict      *bool           `json:"strict"`
		} `json:"jsonSchema"`
	}
	if json.Unmarshal(raw, &f) != nil {
		return nil, errors.New("responseFormat is not of the form {type, jsonSchema: {name, schema}}")
	}
	s := f.Schema
	switch {
	case f.Type != "json_schema":
		return nil, fmt.Errorf(`responseFormat.type is %q, want "json_schema"`, f.Type)
	case s.Name == "":
		return nil, errors.New("responseFormat.jsonSchema.name is missing")
	case len(s.Schema) == 0 || s.Schema[0] != '{':
		return nil, errors.New("responseFormat.jsonSchema.schema is missing, or is not an object")
	}
	return &model.ResponseFormat{Name: s.Name, Description: s.Description, Schema: s.Schema, Strict: s.Strict}, nil
}

// configure has the calls of a model send what the user's file models.json sets for it. The error is about
// that file.
func (e *Endpoint) configure(name string) error {
	if e.facts == nil {
		return nil
	}
	return ApplyRequest(&e.At, e.facts.catalogue, e.vendor, e.spot(name).model)
}

// ApplyRequest has the calls to an endpoint send what the user's file models.json sets for a model: its name on the wire, and
// that of its vendor, "" if package known has none. The error is about that file.
func ApplyRequest(ep *model.Endpoint, catalogue *known.Catalogue, vendor, wireModel string) error {
	found, err := catalogue.Find(vendor, wireModel)
	r := found.User.Request
	if err != nil || r == nil {
		return err
	}
	ep.Silence = cmp.Or(r.LongestSilence(), ep.Silence)
	if r.Sends() {
		ep.Params = &model.Params{
			Temperature: r.Temperature, TopP: r.TopP, MinP: r.MinP, TopK: r.TopK, Seed: r.Seed,
			PresencePenalty: r.PresencePenalty, FrequencyPenalty: r.FrequencyPenalty, RepeatPenalty: r.RepeatPenalty,
			Extra: r.ExtraBody, From: catalogue.File(),
		}
	}
	return nil
}

// assumedOutput is how many tokens an answer is assumed to have at most, where neither
// the configuration nor the provider has a limit. A limit above what the model can answer
// with makes providers reject the call, so this is the limit of gpt-4o, which is among the
// smallest of models that are used with tools. An answer that is longer, and longer than
// what remains, exceeds the budget of its run, which then ends.
const assumedOutput = 16_384

// priced adds to the answer of a model what it has cost, unless the provider says so itself.
func (e *Endpoint) priced(name string, resp *model.Response) {
	u := &resp.Usage
	if u.Cost != nil || !u.Reported {
		return
	}
	if price := e.Price(name); price != nil {
		cost := price.Cost(known.Tokens{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite})
		u.Cost = &cost
	}
}

// Price is what tokens of a model cost now, nil if that is not known.
func (e *Endpoint) Price(name string) *known.Price {
	if e.facts == nil {
		return nil
	}
	if other, ok := e.other(name); ok {
		m := other.Model()
		return m.PriceAt(time.Now())
	}
	return e.price
}

// Vendor is the provider as package known names it, "" if it is not known.
func (e *Endpoint) Vendor() string { return e.vendor }

// LongestAnswer is how many tokens the answer to a request has at most.
func (e Endpoint) LongestAnswer(req model.Request) int64 {
	if limit := cmp.Or(req.MaxOutputTokens, e.At.MaxOutputTokens); limit > 0 {
		return int64(limit)
	}
	longest := int64(cmp.Or(e.maxOutput, assumedOutput))
	if e.contextTokens > 0 {
		longest = min(longest, e.contextTokens)
	}
	return longest
}

// Counted is what a provider has counted of the requests of a conversation: most of one is part of the next. The
// zero value has counted nothing. It is safe for concurrent use.
type Counted struct {
	mu     sync.Mutex // guards the rest
	last   model.Request
	tokens int64
}

// Note takes over how many tokens a request had.
func (c *Counted) Note(r model.Request, tokens int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last, c.tokens = r, tokens
}

// AtMost is the most tokens that a request can have: those counted already of what
// it begins with like the one before it, and the bytes of the rest. counted are those that it has in any case: all of
// the request before it, if it only goes on with that.
func (c *Counted) AtMost(p *turn.Prompt) (most, counted int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	most = p.Bytes()
	if c.tokens == 0 || c.last.Model != p.Request.Model {
		return most, 0
	}
	counted = c.tokens
	rest := turn.Prompt{Request: model.Request{Messages: p.Request.Messages}}
	for i, m := range c.last.Messages {
		if i == len(p.Request.Messages) || !reflect.DeepEqual(m, p.Request.Messages[i]) {
			counted = 0
			break
		}
		rest.Request.Messages = p.Request.Messages[i+1:]
	}
	if !reflect.DeepEqual(c.last.Tools, p.Request.Tools) {
		rest.Request.Tools, counted = p.Request.Tools, 0
	}
	return min(most, c.tokens+rest.Bytes()), counted
}
