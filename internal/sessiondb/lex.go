package sessiondb

import (
	"errors"
	"fmt"
	"strings"
)

const (
	// maxSQL bounds the text of a call, in bytes: planning takes more than linear
	// time.
	maxSQL = 64 << 10
	// maxStatements bounds how many statements are in it.
	maxStatements = 100
	// maxExpansion bounds how often the common table expressions of a statement can
	// be written out into each other, which is what planning them does.
	maxExpansion = 1000
)

// token is a word, a quoted thing or a single other character of SQL.
type token struct {
	text  string
	word  bool // a keyword or a bare name
	depth int  // of parentheses around it
}

// is reports whether the token is that keyword.
func (t token) is(keyword string) bool { return t.word && strings.EqualFold(t.text, keyword) }

// statement is one statement without comments.
type statement struct {
	text   string
	tokens []token
}

// split cuts SQL into statements, as SQLite itself would. Where the two could
// differ, which is in what a parameter is, there is an error.
func split(sql string) (list []statement, err error) {
	if len(sql) > maxSQL {
		return nil, fmt.Errorf("the query has %d bytes, want %d at most", len(sql), maxSQL)
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
			return nil, errors.New("the query has a NUL in it")
		case strings.IndexByte("$@:?#", c) >= 0:
			return nil, fmt.Errorf("there are no parameters here: write the value in place of %q", c)
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
		return nil, fmt.Errorf("the query has %d statements, want %d at most", len(list), maxStatements)
	}
	return list, nil
}

// length is that of the first token, space or comment of sql, which is not empty.
// What is not closed goes to the end, as in SQLite.
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
			i++ // doubled: it stands for itself
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
