package known

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonc"
	"github.com/sidestick-dev/sidestick/internal/spelling"
)

// parse reads a file of models, which may have comments. The error names the line, the entry and
// the field.
func parse(text []byte) ([]Model, error) {
	plain := jsonc.Plain(text)
	dec := json.NewDecoder(bytes.NewReader(plain))
	f := &reader{text: plain, dec: dec}
	models, err := f.file()
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", 1+bytes.Count(plain[:min(f.at, int64(len(plain)))], []byte("\n")), err)
	}
	return models, nil
}

// reader reads one file.
type reader struct {
	text []byte
	dec  *json.Decoder
	at   int64 // where what is being read begins
}

func (f *reader) file() (models []Model, err error) {
	if err := f.open('{', "an object with the field models"); err != nil {
		return nil, err
	}
	for f.dec.More() {
		f.mark()
		name, err := f.dec.Token()
		if err != nil {
			return nil, f.syntax(err)
		}
		if name != "models" {
			return nil, fmt.Errorf("there is no field %q; want models", name)
		}
		if models != nil {
			return nil, errors.New("the field models is there twice")
		}
		if models, err = f.list(); err != nil {
			return nil, err
		}
	}
	f.mark()
	if _, err := f.dec.Token(); err != nil {
		return nil, f.syntax(err)
	}
	f.mark()
	if _, err := f.dec.Token(); err != io.EOF {
		return nil, errors.New("text follows the end of the object")
	}
	return models, nil
}

func (f *reader) list() ([]Model, error) {
	if err := f.open('[', "models to be an array"); err != nil {
		return nil, err
	}
	models := []Model{}
	for f.dec.More() {
		f.mark()
		var raw json.RawMessage
		if err := f.dec.Decode(&raw); err != nil {
			return nil, f.syntax(err)
		}
		m, err := f.entry(raw)
		if err == nil {
			err = m.check(models)
		}
		if err != nil {
			name := fmt.Sprintf("models[%d]", len(models))
			if m.ID != "" {
				name += " (" + fault.Bounded(m.ID) + ")"
			}
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		models = append(models, m)
	}
	f.mark()
	_, err := f.dec.Token()
	return models, f.syntax(err)
}

// entry decodes one model. Its fields must all be known: one that is misspelt would have no effect.
func (f *reader) entry(raw json.RawMessage) (m Model, err error) {
	if raw[0] != '{' {
		return m, errors.New("it is not an object")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	err = dec.Decode(&m)
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		f.at += kind.Offset
		kind.Field = strings.ReplaceAll(kind.Field, "Rates.", "") // an embedded type is no part of the file
	}
	if err == nil {
		err = complete(raw)
	}
	return m, fault.JSON(err)
}

// complete refuses a price without its two numbers, which would be free of charge.
func complete(raw json.RawMessage) error {
	type both struct{ Input, Output *float64 }
	var m struct {
		Prices []struct {
			both
			Long *both
		}
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return err
	}
	for i, p := range m.Prices {
		switch {
		case p.Input == nil || p.Output == nil:
			return fmt.Errorf("prices[%d]: want input and output", i)
		case p.Long != nil && (p.Long.Input == nil || p.Long.Output == nil):
			return fmt.Errorf("prices[%d]: want input and output in long", i)
		}
	}
	return nil
}

// open reads an opening bracket.
func (f *reader) open(want json.Delim, what string) error {
	f.mark()
	switch token, err := f.dec.Token(); {
	case err != nil:
		return f.syntax(err)
	case token != want:
		return errors.New("want " + what)
	}
	return nil
}

// mark remembers where the next value begins.
func (f *reader) mark() {
	f.at = f.dec.InputOffset()
	for f.at < int64(len(f.text)) && strings.IndexByte(" \t\r\n,:", f.text[f.at]) >= 0 {
		f.at++
	}
}

func (f *reader) syntax(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		f.at = min(syntax.Offset, int64(len(f.text)))
		return fmt.Errorf("it is not JSON: %w", syntax)
	}
	return fault.JSON(err)
}

// maxTokens bounds the limits of models: 1,000 times that of the largest one.
const maxTokens = 1 << 30

// checkProvider refuses a provider that no model is ever looked up with: the entry would have no
// effect.
func checkProvider(name string) error {
	names := Providers()
	if name == "" || slices.Contains(names, name) {
		return nil
	}
	if meant := spelling.Closest(name, names); meant != "" {
		return fmt.Errorf("there is no provider %q; did you mean %s?", fault.Bounded(name), meant)
	}
	return fmt.Errorf("there is no provider %q; without the field, the entry is for every provider", fault.Bounded(name))
}

// check returns what is wrong with a model that follows others.
func (m *Model) check(others []Model) error {
	if m.ID == "" {
		return errors.New("the field id is missing")
	}
	if err := checkProvider(m.Provider); err != nil {
		return err
	}
	if err := m.Request.check(); err != nil {
		return err
	}
	if err := m.everyModel(); err != nil {
		return err
	}
	if slices.ContainsFunc(others, func(o Model) bool { return o.ID == m.ID && o.Provider == m.Provider }) {
		return errors.New("an entry before it has the same provider and id")
	}
	for _, n := range []struct {
		field string
		value int64
	}{{"contextTokens", m.ContextTokens}, {"promptTokens", m.PromptTokens}, {"outputTokens", m.OutputTokens}} {
		if n.value < 0 || n.value > maxTokens {
			return fmt.Errorf("%s is %d, want a number of tokens, 0 to %d", n.field, n.value, maxTokens)
		}
	}
	if m.ContextTokens > 0 && m.PromptTokens > m.ContextTokens {
		return fmt.Errorf("promptTokens is %d, more than contextTokens", m.PromptTokens)
	}
	for _, day := range []struct{ field, value string }{{"ends", m.Ends}, {"date", m.Date}} {
		if err := checkDay(day.field, day.value); err != nil {
			return err
		}
	}
	for i := range m.Prices {
		if err := m.Prices[i].check(i == 0); err != nil {
			return fmt.Errorf("prices[%d]: %w", i, err)
		}
		if i > 0 && m.Prices[i].From <= m.Prices[i-1].From {
			return fmt.Errorf("prices[%d]: from is not after that of the price before it", i)
		}
	}
	return nil
}

func checkDay(field, value string) error {
	if value == "" {
		return nil
	}
	if _, err := time.Parse(time.DateOnly, value); err != nil {
		return fmt.Errorf("%s is %q, want a day such as 2026-11-22", field, fault.Bounded(value))
	}
	return nil
}

func (p *Price) check(first bool) error {
	if err := checkDay("from", p.From); err != nil {
		return err
	}
	if !first && p.From == "" {
		return errors.New("the field from is missing; only the first price needs none")
	}
	if (p.Above > 0) != (p.Long != nil) || p.Above < 0 {
		return errors.New("above and long need each other: the prices of calls with a longer prompt")
	}
	if err := p.Rates.check(""); err != nil || p.Long == nil {
		return err
	}
	return p.Long.check("long.")
}

func (r *Rates) check(of string) error {
	for _, rate := range []struct {
		field string
		value *float64
	}{{"input", &r.Input}, {"output", &r.Output}, {"cacheRead", r.CacheRead}, {"cacheWrite", r.CacheWrite}} {
		if rate.value != nil && (*rate.value < 0 || *rate.value > 1e6 || math.IsNaN(*rate.value)) {
			return fmt.Errorf("%s%s is %g, want US dollars for a million tokens", of, rate.field, *rate.value)
		}
	}
	return nil
}
