package markdown

import (
	"strconv"
	"strings"
)

// heading reads "## Title ##": its level and its text.
func heading(text string) (level int, title string, ok bool) {
	for level < len(text) && text[level] == '#' {
		level++
	}
	if level == 0 || level > 6 || level < len(text) && text[level] != ' ' && text[level] != '\t' {
		return 0, "", false
	}
	title = strings.Trim(text[level:], " \t")
	if bare := strings.TrimRight(title, "#"); bare == "" || strings.HasSuffix(bare, " ") || strings.HasSuffix(bare, "\t") {
		title = strings.TrimRight(bare, " \t")
	}
	return level, title, true
}

// underline reads the line below a heading, "===" or "---": its level, 0 for none.
func underline(text string) int {
	text = strings.TrimRight(text, " \t")
	switch {
	case text == "":
		return 0
	case strings.Trim(text, "=") == "":
		return 1
	case strings.Trim(text, "-") == "":
		return 2
	}
	return 0
}

// rule reports whether a line is "---", "* * *" or "___".
func rule(text string) bool {
	mark, n := text[0], 0
	if mark != '-' && mark != '*' && mark != '_' {
		return false
	}
	for i := range len(text) {
		switch text[i] {
		case mark:
			n++
		case ' ', '\t':
		default:
			return false
		}
	}
	return n >= 3
}

// fenceMark reads the line that opens a fence: its mark, how often it stands there, and the name
// of the language.
func fenceMark(text string) (mark byte, n int, language string, ok bool) {
	mark = text[0]
	if mark != '`' && mark != '~' {
		return 0, 0, "", false
	}
	n = len(text) - len(strings.TrimLeft(text, text[:1]))
	info := strings.TrimSpace(text[n:])
	if n < 3 || mark == '`' && strings.Contains(info, "`") {
		return 0, 0, "", false
	}
	language, _, _ = strings.Cut(info, " ")
	language, _, _ = strings.Cut(language, "{")
	language, _, _ = strings.Cut(language, ",")
	return mark, n, language, true
}

// closesFence reports whether a line closes a fence of n marks.
func closesFence(c *cursor, mark byte, n int) bool {
	if c.indent() > 3 {
		return false
	}
	text := strings.TrimRight(c.rest(), " \t")
	return len(text) >= n && strings.Trim(text, string(rune(mark))) == ""
}

// marker is the beginning of an item of a list.
type marker struct {
	mark   byte // '-', '+', '*', '.' or ')'
	number int  // of an ordered item
	size   int  // bytes
}

func (m *marker) ordered() bool { return m.mark == '.' || m.mark == ')' }

// itemMark reads "- ", "3. " or "3) ".
func itemMark(text string) (marker, bool) {
	m := marker{mark: text[0], size: 1}
	if '0' <= m.mark && m.mark <= '9' {
		n := 0
		for n < len(text) && n < 10 && '0' <= text[n] && text[n] <= '9' {
			n++
		}
		if n == 10 || n == len(text) || text[n] != '.' && text[n] != ')' {
			return marker{}, false
		}
		m.number, _ = strconv.Atoi(text[:n]) // nine digits at most
		m.mark, m.size = text[n], n+1
	} else if m.mark != '-' && m.mark != '+' && m.mark != '*' {
		return marker{}, false
	}
	return m, m.size == len(text) || text[m.size] == ' ' || text[m.size] == '\t'
}

// align says on which side of a column its cells are.
type align uint8

const (
	left align = iota
	centre
	right
)

// delimiters reads the second line of a table, such as "|:--|--:|".
func delimiters(text string) ([]align, bool) {
	if strings.Trim(text, " \t|:-") != "" || !strings.Contains(text, "-") || !strings.Contains(text, "|") {
		return nil, false
	}
	var out []align
	for _, cell := range cells(text) {
		dashes := strings.Trim(cell, ":")
		if dashes == "" || strings.Trim(dashes, "-") != "" || strings.HasPrefix(cell, "::") || strings.HasSuffix(cell, "::") {
			return nil, false
		}
		a := left
		switch l, r := cell[0] == ':', cell[len(cell)-1] == ':'; {
		case l && r:
			a = centre
		case r:
			a = right
		}
		out = append(out, a)
	}
	return out, len(out) > 0 && len(out) <= maxColumns
}

// maxColumns bounds the columns of a table. Source: more do not fit into any terminal.
const maxColumns = 100

// cells are the cells of a row of a table. A "|" behind a backslash is part of its cell.
func cells(text string) []string {
	text = strings.Trim(text, " \t")
	text = strings.TrimPrefix(text, "|")
	var out []string
	begin := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '|':
			out = append(out, cell(text[begin:i]))
			begin = i + 1
		}
	}
	if last := cell(text[begin:]); last != "" || begin == 0 {
		out = append(out, last)
	}
	return out
}

func cell(text string) string {
	return strings.ReplaceAll(strings.Trim(text, " \t"), `\|`, "|")
}
