package shellword

import (
	"errors"
	"strings"
	"unicode"
)

// Words splits a text at its spaces. Quotes, single or double, keep spaces in a word; a backslash takes the next character as it is,
// but not in single quotes. The error is about a quote that does not end.
func Words(text string) (words []string, err error) {
	var word strings.Builder
	var quote rune // the one that is open; 0: none
	begun, escaped := false, false
	for _, r := range text {
		switch {
		case escaped:
			escaped = false
			word.WriteRune(r)
		case r == '\\' && quote != '\'':
			escaped, begun = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, begun = r, true
		case quote == 0 && unicode.IsSpace(r):
			if begun {
				words = append(words, word.String())
				word.Reset()
				begun = false
			}
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	switch {
	case quote != 0:
		return nil, errors.New("a quote does not end; write \\" + string(quote) + " for the character itself")
	case escaped:
		word.WriteByte('\\')
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}
