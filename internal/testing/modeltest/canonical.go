package modeltest

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
)

// canonicalArguments rewrites tool-call arguments compactly with their keys in order. ""
// counts as {}, and text that is not JSON stays as it is.
func canonicalArguments(args string) string {
	if strings.TrimSpace(args) == "" {
		return "{}"
	}
	if c, ok := canonical(args, false); ok {
		return c
	}
	return args
}

// canonicalResult rewrites a JSON result compactly with its keys sorted, without the
// envelope of a successful result. Other text is trimmed.
func canonicalResult(result string) string {
	var envelope struct {
		ResultType       string          `json:"resultType"`
		TextResultForLLM json.RawMessage `json:"textResultForLlm"`
	}
	if json.Unmarshal([]byte(result), &envelope) == nil && envelope.ResultType == "success" && envelope.TextResultForLLM != nil {
		var text string
		if json.Unmarshal(envelope.TextResultForLLM, &text) == nil {
			return text
		}
		result = string(envelope.TextResultForLLM)
	}
	if c, ok := canonical(result, true); ok {
		return c
	}
	return strings.TrimSpace(result)
}

// canonical reports false for text that is not exactly one JSON value.
func canonical(text string, sorted bool) (string, bool) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	value, err := canonicalValue(d, sorted)
	if err != nil {
		return "", false
	}
	_, err = d.Token()
	return value, err == io.EOF
}

func canonicalValue(d *json.Decoder, sorted bool) (string, error) {
	t, err := d.Token()
	if err != nil {
		return "", err
	}
	switch t {
	case json.Delim('{'):
		members, err := canonicalMembers(d, sorted)
		return "{" + strings.Join(members, ",") + "}", err
	case json.Delim('['):
		elements, err := canonicalElements(d, sorted)
		return "[" + strings.Join(elements, ",") + "]", err
	}
	return encode(t), nil
}

func canonicalMembers(d *json.Decoder, sorted bool) (members []string, err error) {
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		value, err := canonicalValue(d, sorted)
		if err != nil {
			return nil, err
		}
		members = append(members, encode(key)+":"+value)
	}
	if sorted {
		slices.Sort(members)
	}
	_, err = d.Token()
	return members, err
}

func canonicalElements(d *json.Decoder, sorted bool) (elements []string, err error) {
	for d.More() {
		value, err := canonicalValue(d, sorted)
		if err != nil {
			return nil, err
		}
		elements = append(elements, value)
	}
	_, err = d.Token()
	return elements, err
}
