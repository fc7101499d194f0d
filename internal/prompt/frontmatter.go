package prompt

import (
	"errors"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxFront bounds the front matter of a file, in bytes. Usual front matter has less than
// 2,000.
const maxFront = 16 << 10

// split separates the front matter from a text: the lines between a first line --- and the
// next one. Without front matter all of the text is body.
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
			return "", text // front matter without an end is not front matter
		}
	}
	return front, body
}

// fields parses front matter. If it is not a YAML table, fields returns an error and those
// lines that have the form "key: value": their authors probably forgot to quote a colon or
// an asterisk.
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

// list returns a field that is a list of strings, or one string, which sep splits.
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

// commas splits a string at its commas, except for those within parentheses and braces:
// "bash(a, b)" and "*.{ts,js}" are one element each.
func commas(s string) []string { return cutOutside(s, func(r rune) bool { return r == ',' }) }

// cutOutside splits a string where at reports true, outside of parentheses and braces.
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
