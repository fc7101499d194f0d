package prompt

import (
	"errors"
	"fmt"
	"strings"
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

// maxFronts bounds the front matter of all files of one search, in bytes. 200 skills with
// descriptions of the greatest length have half of it. The parser needs at most 0.8 ms for
// 1,024 bytes (measured), so a search spends at most half a second in it.
const maxFronts = 512 << 10

// fronts parses the front matter of the files of one search. The zero value has parsed none.
type fronts struct {
	bytes int // parsed so far
}

// fields is [fields], and refuses front matter that exceeds [maxFronts] with all before it.
func (f *fronts) fields(front string) (table map[string]any, err error) {
	if front == "" {
		return nil, nil
	}
	if len(front) <= maxFront { // a longer one is not parsed
		if f.bytes += len(front); f.bytes > maxFronts {
			f.bytes -= len(front)
			return nil, refusedFront("the front matter of all files before it and its own have more than " + bytesShown(maxFronts))
		}
	}
	return fields(front)
}

// refusedFront is the reason for which a file is not used: its front matter is not read as it
// is written, and without it the file might do more than its author wants.
type refusedFront string

func (r refusedFront) Error() string { return string(r) }

// isRefused reports whether the file with such front matter must not be used.
func isRefused(err error) bool {
	var r refusedFront
	return errors.As(err, &r)
}

// fields parses front matter. If it is not a YAML table, fields returns an error and those
// lines that have the form "key: text": their authors probably forgot to quote a colon or
// an asterisk. Callers ask [unread] about fields that limit what a file can do. If it is
// longer than [maxFront], or uses what could make it larger than it is written or change its
// meaning, there are no fields, and isRefused reports true for the error; see [checkYAML].
func fields(front string) (map[string]any, error) {
	if len(front) > maxFront {
		return nil, refusedFront("it is longer than " + bytesShown(maxFront))
	}
	table, err := decodeYAML(front)
	if err == nil || isRefused(err) {
		return table, err
	}
	return plainFields(front), errors.New(oneLine(inFile(strings.TrimPrefix(err.Error(), "yaml: ")), maxLine))
}

// unread reports whether front matter that is not a YAML table has a field that [plainFields] has
// not read: a list, a text of several lines, or a second value. In doubt it does.
func unread(front string, table map[string]any, field string) bool {
	if table[field] != nil {
		return false
	}
	for rest := strings.ToLower(front); ; {
		_, after, found := strings.Cut(rest, field)
		if !found {
			return false
		}
		if strings.HasPrefix(strings.TrimLeft(after, "\"' \t"), ":") {
			return true
		}
		rest = after
	}
}

// inFile adds the line with the opening --- to the line number at the beginning of a message.
func inFile(message string) string {
	var line int
	if n, _ := fmt.Sscanf(message, "line %d:", &line); n == 1 {
		_, rest, _ := strings.Cut(message, ":")
		return fmt.Sprintf("line %d:%s", line+1, rest)
	}
	return message
}

// plainFields are the fields whose text stands on the line of their name, each of them once.
func plainFields(front string) map[string]any {
	table, twice := map[string]any{}, map[string]bool{}
	for line := range strings.Lines(front) {
		key, value, ok := strings.Cut(line, ":")
		if !ok || key != strings.TrimSpace(key) {
			continue
		}
		if value = strings.TrimSpace(value); value == "" || strings.ContainsAny(value[:1], "[{|>&!") || twice[key] {
			twice[key] = true
			delete(table, key)
			continue
		}
		twice[key] = true
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
