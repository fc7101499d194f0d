package question

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/tui/composer"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
)

// form is what the user has filled into a form so far. The user moves over its stops: text
// fields, the choices of other fields, and at the end the ways out.
type form struct {
	fields []*field
	stops  []stop
	at     int // the stop that is marked
	top    int // the first row that is shown
	review *entry
}

// stop is a place in a form that can be marked. At the end of the form, field is -1.
type stop struct {
	field  int
	choice int // of a field with choices; a way out at the end
}

// The ways out of a form.
const (
	toReview = iota
	toDecline
)

// field is one field of a form.
type field struct {
	*tool.Field
	text    *composer.Composer // nil for a field with choices
	choices []choice
	picked  []bool // of the choices
	left    bool   // the user has left it, so what is missing is said
}

// choice is a choice of a field: its value for JSON, and how the user reads it.
type choice struct {
	value any
	text  string
}

func newForm(q *question.Question, keys *keymap.Table) *form {
	f := &form{}
	for i := range q.Fields.Fields {
		d := newField(&q.Fields.Fields[i], keys)
		f.fields = append(f.fields, d)
		if d.text != nil {
			f.stops = append(f.stops, stop{field: i})
		}
		for n := range d.choices {
			f.stops = append(f.stops, stop{i, n})
		}
	}
	f.stops = append(f.stops, stop{-1, toReview}, stop{-1, toDecline})
	return f
}

func newField(f *tool.Field, keys *keymap.Table) *field {
	d := &field{Field: f}
	for _, c := range f.Choices {
		d.choices = append(d.choices, choice{c.Value, question.ChoiceLabel(c)})
	}
	if f.Type == "boolean" {
		d.choices = []choice{{true, "yes"}, {false, "no"}}
	}
	d.picked = make([]bool, len(d.choices))
	for i, c := range d.choices {
		d.picked[i] = f.Default != nil && isDefault(f.Default, c.value)
	}
	if len(d.choices) == 0 {
		d.text = &composer.Composer{Keys: keys, Placeholder: placeholder(f)}
	}
	return d
}

// placeholder is what an empty text field says.
func placeholder(f *tool.Field) string {
	text := "text"
	if f.Type != "string" {
		text = "a number"
	}
	switch {
	case f.Default != nil:
		return text + "; empty: " + question.Default(f)
	case !f.Required:
		return text + "; may stay empty"
	}
	return text
}

// isDefault reports whether the default of a field is a value, or has it.
func isDefault(raw json.RawMessage, value any) bool {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return false
	}
	list, ok := v.([]any)
	return v == value || ok && slices.Contains(list, value)
}

// pick picks a choice, or takes it back where that is possible.
func (d *field) pick(i int) {
	was := d.picked[i]
	if d.Type != "array" {
		clear(d.picked)
		was = was && d.Required
		d.picked[i] = !was
		return
	}
	d.picked[i] = !was
}

// value is the value of the field; filled is false for an optional one that was left out. The
// error says what does not fit.
func (d *field) value() (value any, filled bool, err error) {
	if d.text != nil {
		return d.typed()
	}
	list := []any{}
	for i, c := range d.choices {
		if d.picked[i] {
			list = append(list, c.value)
		}
	}
	switch {
	case len(list) == 0 && !d.Required:
		return nil, false, nil
	case d.Type == "array":
		return list, true, d.Check(list)
	case len(list) == 0:
		return nil, false, errors.New("choose one")
	}
	return list[0], true, d.Check(list[0])
}

// typed is the value of a text field.
func (d *field) typed() (value any, filled bool, err error) {
	draft := d.text.Draft()
	text := draft.Line()
	if strings.TrimSpace(text) == "" && d.Required && d.Default == nil {
		return nil, false, errors.New("this field is required")
	}
	return question.Value(d.Field, text)
}

// problem is what does not fit in the field, as far as the user needs to read it now.
func (d *field) problem() string {
	_, _, err := d.value()
	if err == nil || !d.left && (d.text == nil || d.text.Empty()) {
		return ""
	}
	return strings.TrimPrefix(question.Problem(err), fmt.Sprintf("the field %q: ", d.Name))
}

// shown is the value of the field for the review.
func (d *field) shown() string {
	if d.text != nil {
		draft := d.text.Draft()
		if text := draft.Line(); strings.TrimSpace(text) != "" || d.Default == nil {
			return text
		}
		return question.Default(d.Field) + " (the default)"
	}
	var list []string
	for i, c := range d.choices {
		if d.picked[i] {
			list = append(list, c.text)
		}
	}
	return strings.Join(list, ", ")
}

// here is the field of the marked stop, nil at the end of the form.
func (f *form) here() *field {
	if s := f.stops[f.at]; s.field >= 0 {
		return f.fields[s.field]
	}
	return nil
}

// to marks a stop.
func (f *form) to(at int) {
	if d := f.here(); d != nil && f.stops[max(min(at, len(f.stops)-1), 0)].field != f.stops[f.at].field {
		d.left = true
	}
	f.at = max(min(at, len(f.stops)-1), 0)
}

// nextField marks the first stop of the next field, or of the one before.
func (f *form) nextField(step int) {
	from := f.stops[f.at].field
	at := f.at
	for at+step >= 0 && at+step < len(f.stops) && f.stops[at].field == from {
		at += step
	}
	if step < 0 {
		for at > 0 && f.stops[at-1].field == f.stops[at].field && f.stops[at].field >= 0 {
			at--
		}
	}
	f.to(at)
}

// paste inserts text into the text field that is marked; false if none is.
func (f *form) paste(text string) bool {
	d := f.here()
	if f.review != nil || d == nil || d.text == nil {
		return false
	}
	d.text.Paste(text)
	return true
}

// answer is what the form holds. The error is about the field with that index, -1 for all of them.
func (f *form) answer(q *question.Question) (a question.Answer, bad int, err error) {
	values := map[string]any{}
	for i, d := range f.fields {
		value, filled, err := d.value()
		if err != nil {
			return a, i, err
		}
		if filled {
			values[d.Name] = value
		}
	}
	a, err = question.FormAnswer(q.Fields, values)
	return a, -1, err
}
