package sessiondb

import (
	"errors"
	"fmt"
	"strings"
)

const (
	// maxSQL bounds the text of a call, in bytes, because the time for planning grows
	// faster than the text.
	maxSQL = 64 << 10
	// maxStatements bounds the statements in a call.
	maxStatements = 100
	// maxExpansion bounds how often SQLite expands the common table expressions of a
	// statement into each other while planning.
	maxExpansion = 1000
)

// token is a word, a quoted text or a single other character of SQL.
type token struct {
	text  string
	word  bool // a keyword or a bare name
	depth int  // of parentheses around it
}

// is reports whether the token is this keyword.
func (t token) is(keyword string) bool { return t.word && strings.EqualFold(t.text, keyword) }

// statement is one statement without comments.
type statement struct {
	text   string
	tokens []token
}

// split splits SQL into statements in the same way as SQLite. It refuses parameters,
// about which the two could differ.
func split(sql string) (list []statement, err error) {
	if len(sql) > maxSQL {
		return nil, fmt.Errorf("the query has %d bytes, and at most %d are allowed", len(sql), maxSQL)
	}
	var s statement
	var text strings.Builder
	depth := 0
	end := func() {
		if len(s.tokens) > 0 {
			s.text = strings.TrimSpace(text.String())
			list = append(list, s)
		}
		s, depth = statement{}, 0
		text.Reset()
	}
	for i := 0; i < len(sql); {
		n := length(sql[i:])
		part := sql[i : i+n]
		i += n
		switch c := part[0]; {
		case c == 0:
			return nil, errors.New("the query has a NUL byte in it")
		case strings.IndexByte("$@:?#", c) >= 0:
			return nil, fmt.Errorf("parameters are not supported: write the value instead of %q", c)
		case c == ';':
			end()
		case strings.HasPrefix(part, "--"), strings.HasPrefix(part, "/*"), isSpace(c):
			text.WriteByte(' ')
		default:
			if c == ')' {
				depth--
			}
			s.tokens = append(s.tokens, token{part, isWord(c), depth})
			if c == '(' {
				depth++
			}
			text.WriteString(part)
		}
	}
	end()
	switch {
	case len(list) == 0:
		return nil, errors.New("the query has no statement in it")
	case len(list) > maxStatements:
		return nil, fmt.Errorf("the query has %d statements, and at most %d are allowed", len(list), maxStatements)
	}
	return list, nil
}

// length returns the length of the first token, space or comment of sql, which must not
// be empty. An unclosed one extends to the end, as in SQLite.
func length(sql string) int {
	until := func(mark string, from int) int {
		if at := strings.Index(sql[from:], mark); at >= 0 {
			return from + at + len(mark)
		}
		return len(sql)
	}
	switch c := sql[0]; {
	case strings.HasPrefix(sql, "--"):
		return until("\n", 2)
	case strings.HasPrefix(sql, "/*") && len(sql) > 2:
		return until("*/", 2)
	case c == '[':
		return until("]", 1)
	case c == '\'' || c == '"' || c == '`':
		for i := 1; i < len(sql); i++ {
			if sql[i] != c {
				continue
			}
			if i+1 == len(sql) || sql[i+1] != c {
				return i + 1
			}
			i++ // a doubled quote is a quote in the text
		}
		return len(sql)
	case isWord(c):
		n := 1
		for n < len(sql) && (isWord(sql[n]) || sql[n] == '$') {
			n++
		}
		return n
	}
	return 1
}

func isSpace(c byte) bool {
	return c == ' ' || '\t' <= c && c <= '\r' && c != '\v'
}

func isWord(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
