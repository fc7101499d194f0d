package question

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// Label is the name of a field as the user reads it.
func Label(f *tool.Field) string {
	if f.Title != "" {
		return exposed(f.Title)
	}
	return exposed(f.Name)
}

// exposed is text in one line of any length, as in [timeline.Exposed].
func exposed(text string) string { return strings.Join(strings.Fields(timeline.Exposed(text)), " ") }

// ChoiceLabel is a choice of a field as the user reads it: its title and its value.
func ChoiceLabel(c tool.Choice) string {
	if c.Title != "" && c.Title != c.Value {
		return exposed(c.Title + " (" + c.Value + ")")
	}
	return exposed(c.Value)
}

// Description says what a field is for, in one line of any length; it may be empty.
func Description(f *tool.Field) string { return exposed(f.Description) }

// Default is the default of a field as the user reads it, "" for none.
func Default(f *tool.Field) string {
	if f.Default == nil {
		return ""
	}
	return exposed(literal(f.Default))
}

// Problem is an error of [Value] or [FormAnswer] as the user reads it.
func Problem(err error) string { return exposed(err.Error()) }

// How says what to type for a field, and what Enter alone means: ", a number, Enter: leave out".
func How(f *tool.Field) string {
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
		how += ", Enter: " + Default(f)
	case !f.Required:
		how += ", Enter: leave out"
	}
	return how
}

// literal is a value of a field as the user would type it.
func literal(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// Value is the value that the user has typed for a field; filled is false for an optional field
// that was left out. The error says what does not fit.
func Value(f *tool.Field, typed string) (value any, filled bool, err error) {
	value, filled, err = read(f, strings.TrimSpace(typed))
	if err == nil && filled {
		err = f.Check(value)
	}
	return value, filled, err
}

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
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) { // JSON has no such numbers
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
