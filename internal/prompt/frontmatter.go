package prompt

import (
	"errors"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxFront bounds the front matter of a file, in bytes. Those that people write
// have less than 2,000.
const maxFront = 16 << 10

// split takes the front matter off a text: what is between a first line --- and the
// next one. Without it all of the text is body.
func split(text string) (front, body string) {
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return "", text
	}
	if body, ok := strings.CutPrefix(rest, "---\n"); ok {
		return "", body
	}
	front, body, ok = strings.Cut(rest, "\n---\n")
	if !ok {
		if front, ok = strings.CutSuffix(rest, "\n---"); !ok {
			return "", text // it does not end, so it is none
		}
	}
	return front, body
}

// fields is front matter as a table. An error says why it is no YAML table; the
// fields are then those lines that read "key: value", which is what people meant
// who forgot to quote a colon or an asterisk.
func fields(front string) (map[string]any, error) {
	if len(front) > maxFront {
		return plainFields(front[:maxFront]), errors.New("it is longer than " + bytesShown(maxFront))
	}
	var table map[string]any
	if err := yaml.Unmarshal([]byte(front), &table); err != nil {
		return plainFields(front), errors.New(oneLine(strings.TrimPrefix(err.Error(), "yaml: "), maxLine))
	}
	return table, nil
}

func plainFields(front string) map[string]any {
	table := map[string]any{}
	for line := range strings.Lines(front) {
		key, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if !ok || key != strings.TrimSpace(key) || strings.HasPrefix(value, "[") || strings.HasPrefix(value, "{") {
			continue
		}
		if value = strings.Trim(value, `"'`); value != "" {
			table[key] = value
		}
	}
	return table
}

// list is a field that is a list of strings or one string, which sep takes apart.
func list(value any, sep func(string) []string) []string {
	var out []string
	switch value := value.(type) {
	case string:
		out = sep(value)
	case []any:
		for _, v := range value {
			if s, ok := v.(string); ok {
				out = append(out, s)
			}
		}
	}
	kept := out[:0]
	for _, s := range out {
		if s = strings.TrimSpace(s); s != "" {
			kept = append(kept, s)
		}
	}
	return kept
}

// commas takes a list apart that stands in one string. Commas within parentheses
// and braces belong to an element: "bash(a, b)" and "*.{ts,js}" are one.
func commas(s string) []string { return cutOutside(s, func(r rune) bool { return r == ',' }) }

// cutOutside cuts where at says so, outside of parentheses and braces.
func cutOutside(s string, at func(rune) bool) []string {
	depth := 0
	return strings.FieldsFunc(s, func(r rune) bool {
		switch r {
		case '(', '{':
			depth++
		case ')', '}':
			depth--
		}
		return depth == 0 && at(r)
	})
}
