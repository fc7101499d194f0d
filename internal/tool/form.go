package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/sidestick-dev/sidestick/internal/jsonscan"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Form is what a user is asked to fill in: the fields of a JSON Schema of one flat object, as
// the Model Context Protocol allows it for elicitation.
type Form struct {
	Fields []Field // in the order of the schema
	whole  *jsonschema.Resolved
}

// Field is one field of a form.
type Field struct {
	Name string
	// Type is "string", "number", "integer", "boolean" or "array"; an array holds some of
	// the Choices.
	Type               string
	Title, Description string
	Required           bool
	Choices            []Choice        // the only values allowed; empty: any value
	Default            json.RawMessage // nil for none
	format             string
	schema             *jsonschema.Resolved
}

// Choice is a value that a field may have, with the name to show; Title may be empty.
type Choice struct{ Value, Title string }

// maxForm bounds the schema of a form, in bytes, and maxFields its fields: a person fills it
// in.
const (
	maxForm   = 64 << 10
	maxFields = 100
)

// ParseForm reads the schema of a form. The error says what of it is no form.
func ParseForm(schema json.RawMessage) (*Form, error) {
	if len(schema) > maxForm {
		return nil, fmt.Errorf("the schema of the form has %d bytes, and at most %d are allowed", len(schema), maxForm)
	}
	var root struct {
		Type       string          `json:"type"`
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if err := json.Unmarshal(schema, &root); err != nil {
		return nil, fmt.Errorf("the schema of the form cannot be read: %w", err)
	}
	if root.Type != "object" {
		return nil, fmt.Errorf("the schema of the form has the type %q, want \"object\"", root.Type)
	}
	whole, err := resolved(schema)
	if err != nil {
		return nil, fmt.Errorf("the schema of the form cannot be used: %w", err)
	}
	f := &Form{whole: whole}
	for key, raw := range wire.Raw(root.Properties).Members() {
		name := wire.Raw(`"` + string(key) + `"`).Text()
		field, err := parseField(name, json.RawMessage(raw))
		if err != nil {
			return nil, fmt.Errorf("the field %q of the form: %w", name, err)
		}
		field.Required = slices.Contains(root.Required, field.Name)
		f.Fields = append(f.Fields, field)
	}
	if len(f.Fields) > maxFields {
		return nil, fmt.Errorf("the form has %d fields, and at most %d are allowed", len(f.Fields), maxFields)
	}
	return f, nil
}

func resolved(raw json.RawMessage) (*jsonschema.Resolved, error) {
	if jsonscan.Deeper(raw, maxSchemaDepth) {
		return nil, errors.New("a form is flat")
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, err
	}
	if refers(plainOf(&s)) { // in a circle, perhaps, which would end the process when an answer is checked
		return nil, errors.New("a form has no references ($ref)")
	}
	return s.Resolve(nil)
}

// property is the part of a field's schema that is shown to the user.
type property struct {
	Type        string          `json:"type"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Format      string          `json:"format"`
	Default     json.RawMessage `json:"default"`
	Enum        []string        `json:"enum"`
	EnumNames   []string        `json:"enumNames"`
	OneOf       []constant      `json:"oneOf"`
	AnyOf       []constant      `json:"anyOf"`
	Items       *property       `json:"items"`
}

type constant struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

func parseField(name string, raw json.RawMessage) (Field, error) {
	var p property
	if err := json.Unmarshal(raw, &p); err != nil {
		return Field{}, errors.New("a form has texts, numbers, yes or no, and choices of texts only")
	}
	f := Field{Name: name, Type: p.Type, Title: p.Title, Description: p.Description, Default: p.Default, format: p.Format, Choices: p.choices()}
	if f.Type == "" && len(f.Choices) > 0 {
		f.Type = "string"
	}
	switch f.Type {
	case "string", "number", "integer", "boolean":
	case "array":
		if p.Items != nil {
			f.Choices = p.Items.choices()
		}
		if len(f.Choices) == 0 {
			return Field{}, errors.New("a list in a form has to name the texts to choose from")
		}
	default:
		return Field{}, fmt.Errorf("the type %q has no place in a form; it has texts, numbers, yes or no, and choices of texts only", f.Type)
	}
	var err error
	f.schema, err = resolved(raw)
	return f, err
}

// choices are the values that a property allows.
func (p *property) choices() (out []Choice) {
	for i, value := range p.Enum {
		c := Choice{Value: value}
		if i < len(p.EnumNames) {
			c.Title = p.EnumNames[i]
		}
		out = append(out, c)
	}
	for _, c := range append(p.OneOf, p.AnyOf...) {
		out = append(out, Choice{c.Const, c.Title})
	}
	return out
}

// Check returns why content is not an answer to the form, nil if it is one. Content is a JSON
// object with the values of the fields; fields that are not required may be absent.
func (f *Form) Check(content json.RawMessage) error {
	if len(content) == 0 {
		content = json.RawMessage("{}")
	}
	var values map[string]any
	if err := json.Unmarshal(content, &values); err != nil || values == nil {
		return errors.New("the content is not a JSON object")
	}
	for i := range f.Fields {
		field := &f.Fields[i]
		value, filled := values[field.Name]
		switch {
		case filled:
			if err := field.Check(value); err != nil {
				return err
			}
		case field.Required:
			return fmt.Errorf("the field %q is required, and is missing", field.Name)
		}
		delete(values, field.Name)
	}
	for name := range values {
		return fmt.Errorf("the form has no field %q", name)
	}
	_ = json.Unmarshal(content, &values) // decoded above
	if err := f.whole.Validate(values); err != nil {
		return errors.New(clean(err))
	}
	return nil
}

// Check returns why a decoded JSON value does not fit the field, nil if it does.
func (f *Field) Check(value any) error {
	if err := f.schema.Validate(value); err != nil {
		return fmt.Errorf("the field %q: %s", f.Name, clean(err))
	}
	text, isText := value.(string)
	if isText && !fits(f.format, text) {
		return fmt.Errorf("the field %q: %q has not the format %q", f.Name, text, f.format)
	}
	if f.Type == "string" && !isText {
		return fmt.Errorf("the field %q: want a text", f.Name)
	}
	return nil
}

// fits reports whether a text has one of the formats that the Model Context Protocol names.
// Other formats are remarks.
func fits(format, text string) bool {
	var err error
	switch format {
	case "email":
		var a *mail.Address
		a, err = mail.ParseAddress(text)
		return err == nil && a.Address == strings.TrimSpace(text)
	case "uri":
		var u *url.URL
		u, err = url.Parse(text)
		return err == nil && u.Scheme != ""
	case "date":
		_, err = time.Parse(time.DateOnly, text)
	case "date-time":
		_, err = time.Parse(time.RFC3339, text)
	}
	return err == nil
}
