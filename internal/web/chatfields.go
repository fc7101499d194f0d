package web

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// field is a field of an OpenAI request. Each is checked, whether the agent can obey it or
// not. A field with another value than a neutral one is obeyed, refused, or else ignored, and
// the answer names what was ignored.
type field struct {
	want    string // the values that fit, in words
	fits    func(value any) bool
	obeyed  bool
	refused string // why another value than a neutral one cannot be taken; "": it is ignored
	neutral []any  // values that ask for nothing; null and empty lists never do
}

// fields are the fields of a request for a chat completion. The ranges are those of OpenAI.
// Source: the reference of the API, "Create chat completion", of 2025.
var fields = lazy.Value[map[string]field]{Make: func() map[string]field {
	return map[string]field{
		"model":           {want: "a string", fits: isString, obeyed: true},
		"messages":        {want: "a list", fits: isList, obeyed: true},
		"stream":          {want: "true or false", fits: isBool, obeyed: true},
		"stream_options":  {want: "an object", fits: isObject, obeyed: true},
		"n":               {want: "a whole number of 1 or more", fits: whole(1, math.MaxInt32), obeyed: true},
		"tool_choice":     {want: "none, auto, required or an object", fits: isStringOrObject, obeyed: true},
		"response_format": {want: "an object", fits: isObject, obeyed: true},

		"temperature":           {want: "a number from 0 to 2", fits: number(0, 2), neutral: []any{1.0}},
		"top_p":                 {want: "a number from 0 to 1", fits: number(0, 1), neutral: []any{1.0}},
		"frequency_penalty":     {want: "a number from -2 to 2", fits: number(-2, 2), neutral: []any{0.0}},
		"presence_penalty":      {want: "a number from -2 to 2", fits: number(-2, 2), neutral: []any{0.0}},
		"max_tokens":            {want: "a whole number of 1 or more", fits: whole(1, math.MaxInt32)},
		"max_completion_tokens": {want: "a whole number of 1 or more", fits: whole(1, math.MaxInt32)},
		"seed":                  {want: "a whole number", fits: whole(math.MinInt64, math.MaxInt64)},
		"stop":                  {want: "a string, or a list of at most 4", fits: isStop},
		"logit_bias":            {want: "an object", fits: isObject},
		"reasoning_effort":      {want: "a string", fits: isString},
		"verbosity":             {want: "a string", fits: isString},
		"tools":                 {want: "a list", fits: isList},
		"functions":             {want: "a list", fits: isList},
		"parallel_tool_calls":   {want: "true or false", fits: isBool, neutral: []any{true}},
		"prediction":            {want: "an object", fits: isObject},
		"web_search_options":    {want: "an object", fits: isObject},
		"service_tier":          {want: "a string", fits: isString, neutral: []any{"auto", "default"}},
		"store":                 {want: "true or false", fits: isBool, neutral: []any{false}},
		"metadata":              {want: "an object", fits: isObject},

		// These are about the caller and its cache, and change nothing in an answer.
		"user":                   {want: "a string", fits: isString, obeyed: true},
		"safety_identifier":      {want: "a string", fits: isString, obeyed: true},
		"prompt_cache_key":       {want: "a string", fits: isString, obeyed: true},
		"prompt_cache_retention": {want: "a string", fits: isString, obeyed: true},

		"logprobs":      {want: "true or false", fits: isBool, neutral: []any{false}, refused: "the agent gives no log probabilities"},
		"top_logprobs":  {want: "a whole number from 0 to 20", fits: whole(0, 20), neutral: []any{0.0}, refused: "the agent gives no log probabilities"},
		"audio":         {want: "an object", fits: isObject, refused: "the agent answers in text"},
		"modalities":    {want: "a list", fits: isList, neutral: []any{"text"}, refused: "the agent answers in text"},
		"function_call": {want: "none, auto or an object", fits: isStringOrObject, neutral: []any{"none", "auto"}, refused: "the agent runs its own tools, and returns no calls"},
	}
}}

// checkFields checks the fields of a request, and returns the names of those that are
// ignored, in order. A field that OpenAI does not have is ignored, too.
func checkFields(data []byte) (ignored []string, err error) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(data, &given); err != nil || given == nil {
		return nil, invalid("the request cannot be read: it is not one JSON object")
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if name == "messages" && given[name][0] == '[' {
			continue // they can be long, and are decoded once
		}
		f, known := fields.Get()[name]
		var value any
		_ = json.Unmarshal(given[name], &value) // it is a part of valid JSON
		switch {
		case value == nil || known && f.isNeutral(value):
		case !known:
			ignored = append(ignored, name)
		case !f.fits(value):
			return nil, invalidField(name, "%s is not %s", name, f.want)
		case f.refused != "":
			return nil, invalidField(name, "%s cannot be taken: %s", name, f.refused)
		case !f.obeyed:
			ignored = append(ignored, name)
		}
	}
	return ignored, nil
}

// isNeutral reports whether a value asks for nothing: it is empty or neutral, or a list of
// neutral values.
func (f field) isNeutral(value any) bool {
	list, ok := value.([]any)
	if !ok {
		return f.isNeutralScalar(value)
	}
	return f.fits(value) && !slices.ContainsFunc(list, func(v any) bool { return !f.isNeutralScalar(v) })
}

func (f field) isNeutralScalar(value any) bool {
	return !isList(value) && !isObject(value) && slices.Contains(f.neutral, value)
}

func isString(value any) bool { _, ok := value.(string); return ok }
func isBool(value any) bool   { _, ok := value.(bool); return ok }
func isList(value any) bool   { _, ok := value.([]any); return ok }
func isObject(value any) bool { _, ok := value.(map[string]any); return ok }

func isStringOrObject(value any) bool { return isString(value) || isObject(value) }

func isStop(value any) bool {
	list, ok := value.([]any)
	return isString(value) || ok && len(list) <= 4 && !slices.ContainsFunc(list, func(v any) bool { return !isString(v) })
}

func number(least, most float64) func(any) bool {
	return func(value any) bool {
		n, ok := value.(float64)
		return ok && least <= n && n <= most
	}
}

func whole(least, most float64) func(any) bool {
	inRange := number(least, most)
	return func(value any) bool {
		n, _ := value.(float64)
		return inRange(value) && n == math.Trunc(n)
	}
}

// ignoredHeader is the header of an answer that names the fields that were ignored.
const ignoredHeader = "X-Sidestick-Ignored"

// maxIgnored bounds the names in that header: OpenAI has fewer fields.
const maxIgnored = 40

// maxNameShown bounds one name there, in bytes; the longest of OpenAI has 22.
const maxNameShown = 64

// ignoredNames is the value of that header. A name that is long, or has other characters
// than a header may have, is replaced by "?".
func ignoredNames(names []string) string {
	shown := make([]string, 0, min(len(names), maxIgnored))
	for _, name := range names[:min(len(names), maxIgnored)] {
		if len(name) > maxNameShown || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' || r == ',' }) {
			name = "?"
		}
		shown = append(shown, name)
	}
	if len(names) > maxIgnored {
		shown = append(shown, "...")
	}
	return strings.Join(shown, ", ")
}
