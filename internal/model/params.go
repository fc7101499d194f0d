package model

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Params are the sampling parameters of calls and further members of their bodies, as the user has set
// them for a provider or a model. Nil fields are not sent. It is not changed once a call has it.
type Params struct {
	Temperature, TopP, MinP                          *float64
	TopK, Seed                                       *int64
	PresencePenalty, FrequencyPenalty, RepeatPenalty *float64
	// Extra are further members at the top of the body, by name; each is a JSON value.
	Extra map[string]json.RawMessage
	// From says in errors where they were set.
	From string
}

// ParamNames are the names that a dialect has for the parameters, "" for those that it does not have.
type ParamNames struct {
	Temperature, TopP, TopK, MinP, Seed, PresencePenalty, FrequencyPenalty string
	// RepeatPenalty has two names among servers of chat completions; all that are here are sent.
	RepeatPenalty []string
}

// param is one parameter: its name in the user's file, those in a dialect, and its value, "" if it is not
// set.
type param struct {
	name  string
	names []string
	value string
}

func (p *Params) all(n *ParamNames) []param {
	one := func(name string) []string {
		if name == "" {
			return nil
		}
		return []string{name}
	}
	return []param{
		{"temperature", one(n.Temperature), float(p.Temperature)},
		{"topP", one(n.TopP), float(p.TopP)},
		{"topK", one(n.TopK), integer(p.TopK)},
		{"minP", one(n.MinP), float(p.MinP)},
		{"seed", one(n.Seed), integer(p.Seed)},
		{"presencePenalty", one(n.PresencePenalty), float(p.PresencePenalty)},
		{"frequencyPenalty", one(n.FrequencyPenalty), float(p.FrequencyPenalty)},
		{"repeatPenalty", n.RepeatPenalty, float(p.RepeatPenalty)},
	}
}

func float(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'f', -1, 64)
}

func integer(v *int64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatInt(*v, 10)
}

// Append appends the parameters that are set as members of a JSON object, each between before and after,
// one of which is a comma. Those without a name are left out; such a call was refused before. p may be nil.
func (p *Params) Append(b []byte, n *ParamNames, before, after string) []byte {
	if p == nil {
		return b
	}
	for _, one := range p.all(n) {
		if one.value == "" {
			continue
		}
		for _, name := range one.names {
			b = append(wire.AppendString(append(b, before...), name), ':')
			b = append(append(b, one.value...), after...)
		}
	}
	return b
}

// check refuses what a dialect does not have, and extra members that would replace one that this program
// writes. model is that of the call.
func (p *Params) check(dialect, model string, n *ParamNames, written []string) error {
	if p == nil {
		return nil
	}
	for _, one := range p.all(n) {
		if one.value != "" && len(one.names) == 0 {
			return invalid(opStream, "", "%s sets %s for %s, but %s has no such parameter at this provider: remove it", p.from(), one.name, model, dialect)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Extra)) {
		// Servers in Go, such as Ollama, read names of members in any case, and the last one counts.
		if slices.ContainsFunc(written, func(w string) bool { return strings.EqualFold(w, name) }) {
			return invalid(opStream, "", "%s sets the member %q in extraBody for %s, but this program writes that member itself: remove it", p.from(), name, model)
		}
	}
	return nil
}

// CheckParams reports whether the parameters of an endpoint can be sent to a model, without a call. The error is
// that of [Client.Stream]. It is nil if no parameters are set.
func (c *Client) CheckParams(ctx context.Context, ep Endpoint, name string) error {
	d, err := c.dialect(ep.Dialect)
	if err != nil || ep.Params == nil {
		return err
	}
	call, err := d.Prepare(ctx, c, &ep, &Request{Model: name, Messages: []Message{{Role: RoleUser, Content: "OK"}}})
	if err != nil {
		return err
	}
	call.Close()
	return nil
}

// blame has the error of a provider that has refused a request say where a parameter that it names was set.
// Such a call is not made again without the parameter: the user would not know what the answer was made with.
func (p *Params) blame(e *Error, n *ParamNames) {
	if p == nil || e.Category != CategoryQuery || e.repair != "" || e.hint != "" {
		return
	}
	for _, one := range p.all(n) {
		if one.value != "" && slices.ContainsFunc(one.names, func(name string) bool { return names(e.Message, name) }) {
			e.hint = p.from() + " sets " + one.name + " for this model: remove it there, or change it"
			return
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Extra)) {
		if names(e.Message, name) {
			e.hint = p.from() + " sets the member " + strconv.Quote(name) + " in extraBody for this model: remove it there, or change it"
			return
		}
	}
}

// names reports whether a text has a name as a word of its own.
func names(text, name string) bool {
	return slices.Contains(strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }), name)
}

func (p *Params) from() string { return cmp.Or(p.From, "the configuration") }

// body adds what goes to the top of a body: the extra members and, unless the dialect has them elsewhere,
// the parameters. The body is a JSON object with at least one member.
func (p *Params) body(b []byte, n *ParamNames, nested bool) []byte {
	if p == nil {
		return b
	}
	b = bytes.TrimSuffix(b, []byte("}"))
	if !nested {
		b = p.Append(b, n, ",", "")
	}
	for _, name := range slices.Sorted(maps.Keys(p.Extra)) {
		b = append(wire.AppendString(append(b, ','), name), ':')
		b = append(b, p.Extra[name]...)
	}
	return append(b, '}')
}
