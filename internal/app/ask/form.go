package ask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// FormQuestion is an elicitation: a form to fill in or, with a URL, a page to visit.
type FormQuestion struct {
	Source  string // the MCP server that asks; empty: the model or a program
	Message string
	Schema  json.RawMessage
	URL     string
}

// Form has the user fill in a form, field by field, or decline it.
func (a *Asker) Form(ctx context.Context, q FormQuestion) (wire.ElicitationAnswer, error) {
	a.Discard()
	message := q.Message
	if q.Source != "" {
		message = "The MCP server " + q.Source + " asks: " + message
	}
	a.question(message)
	if q.URL != "" {
		return a.page(ctx, q.URL)
	}
	form, err := tool.ParseForm(q.Schema)
	if err != nil {
		return wire.ElicitationAnswer{}, err
	}
	a.overview(form)
	if yes, err := a.agrees(ctx, "fill it in? [y] yes  [n] no › "); err != nil || !yes {
		return wire.ElicitationAnswer{Action: approval.Declined}, err
	}
	for {
		values := map[string]any{}
		for i := range form.Fields {
			value, filled, err := a.field(ctx, &form.Fields[i])
			if err != nil {
				return wire.ElicitationAnswer{}, err
			}
			if filled {
				values[form.Fields[i].Name] = value
			}
		}
		content, err := json.Marshal(values)
		if err == nil {
			err = form.Check(content)
		}
		if err == nil {
			return wire.ElicitationAnswer{Action: approval.Accepted, Content: content}, nil
		}
		a.remark(timeline.Exposed(err.Error()) + "; once more from the first field:")
	}
}

// page shows the address of a page. It is not opened here, because the terminal may be on
// another machine than the user's browser.
func (a *Asker) page(ctx context.Context, url string) (wire.ElicitationAnswer, error) {
	s := a.layout()
	s.exact("page", url, a.Look.Cyan)
	_, _ = io.WriteString(a, strings.Join(s.rows, "\n")+"\n")
	yes, err := a.agrees(ctx, "will you open this page in your browser? [y] yes  [n] no › ")
	if err != nil || !yes {
		return wire.ElicitationAnswer{Action: approval.Declined}, err
	}
	return wire.ElicitationAnswer{Action: approval.Accepted}, nil
}

// overview names the fields, so that the user knows what is asked before agreeing.
func (a *Asker) overview(form *tool.Form) {
	s := a.layout()
	for _, f := range form.Fields {
		name := label(&f)
		if !f.Required {
			name += " (optional)"
		}
		s.item(name)
	}
	_, _ = io.WriteString(a, strings.Join(s.rows, "\n")+"\n")
}

// agrees asks a question until the answer is yes or no.
func (a *Asker) agrees(ctx context.Context, prompt string) (bool, error) {
	for {
		word, _, err := a.choice(ctx, prompt)
		if err != nil {
			return false, err
		}
		switch word {
		case "y", "yes":
			return true, nil
		case "n", "no":
			return false, nil
		}
	}
}

func label(f *tool.Field) string {
	if f.Title != "" {
		return f.Title
	}
	return f.Name
}

// field asks for the value of a field until it fits; filled is false if the user leaves out an
// optional one.
func (a *Asker) field(ctx context.Context, f *tool.Field) (value any, filled bool, err error) {
	s := a.layout()
	s.note(label(f), f.Description, a.Look.Bold)
	if len(s.rows) > 0 {
		_, _ = io.WriteString(a, strings.Join(s.rows, "\n")+"\n")
	}
	var names []string
	for _, c := range f.Choices {
		name := c.Value
		if c.Title != "" && c.Title != c.Value {
			name = c.Title + " (" + c.Value + ")"
		}
		names = append(names, name)
	}
	a.list(names)
	for {
		line, err := a.ReadLine(ctx, hint(f), a.Look.Bold)
		if err != nil {
			return nil, false, err
		}
		value, filled, err := read(f, strings.TrimSpace(line))
		if err == nil && filled {
			err = f.Check(value)
		}
		if err == nil {
			return value, filled, nil
		}
		a.remark(timeline.Exposed(err.Error()))
	}
}

// hint is the prompt of a field: its name, what to type, and what Enter means.
func hint(f *tool.Field) string {
	how := ""
	switch {
	case f.Type == "array":
		how = ", numbers with commas"
	case len(f.Choices) > 0:
		how = fmt.Sprintf(", 1-%d", len(f.Choices))
	case f.Type == "boolean":
		how = ", y or n"
	case f.Type == "integer", f.Type == "number":
		how = ", a number"
	}
	switch {
	case f.Default != nil:
		how += ", Enter: " + shown(f.Default)
	case !f.Required:
		how += ", Enter: leave out"
	}
	return timeline.OneLine(timeline.Exposed(label(f)+how), 70) + " › "
}

// shown is a default as the user would type it.
func shown(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// read is the value that the user has typed for a field; filled is false for an optional field
// that was left out.
func read(f *tool.Field, line string) (value any, filled bool, err error) {
	switch {
	case line == "" && f.Default != nil:
		err := json.Unmarshal(f.Default, &value)
		return value, true, err
	case line == "" && !f.Required:
		return nil, false, nil
	case line == "" && f.Type != "string":
		return nil, false, errors.New("this field is required")
	case f.Type == "array":
		value, err := several(f, line)
		return value, true, err
	case len(f.Choices) > 0:
		value, err := one(f, line)
		return value, true, err
	case f.Type == "boolean":
		word := strings.ToLower(line)
		if yes := slices.Contains([]string{"y", "yes", "true"}, word); yes || slices.Contains([]string{"n", "no", "false"}, word) {
			return yes, true, nil
		}
		return nil, false, errors.New("answer y or n")
	case f.Type == "integer", f.Type == "number":
		n, err := strconv.ParseFloat(line, 64)
		if err != nil {
			return nil, false, fmt.Errorf("%q is not a number", line)
		}
		return n, true, nil
	}
	return line, true, nil
}

// one is the choice that an answer names by its number, value or title.
func one(f *tool.Field, answer string) (string, error) {
	var values, titles []string
	for _, c := range f.Choices {
		values, titles = append(values, c.Value), append(titles, c.Title)
	}
	for _, names := range [][]string{values, titles} {
		if i := pick(names, answer); i >= 0 {
			return values[i], nil
		}
	}
	return "", fmt.Errorf("%q is none of the choices: type a number from 1 to %d", answer, len(f.Choices))
}

// several are the choices that an answer names, with commas between them.
func several(f *tool.Field, answer string) ([]any, error) {
	list := []any{}
	for part := range strings.SplitSeq(answer, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		value, err := one(f, part)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	return list, nil
}
