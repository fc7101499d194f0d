package chat

import "strings"

// message is the lines of a message that is being typed.
type message struct {
	lines []string
	block bool // between two """
}

const quotes = `"""`

func (m *message) text() string { return strings.Join(m.lines, "\n") }

// add adds a line and reports whether the message is complete.
func (m *message) add(line string) (whole bool) {
	if rest, ok := strings.CutPrefix(strings.TrimSpace(line), quotes); ok && len(m.lines) == 0 && !m.block {
		m.block, line = true, rest
		if line == "" {
			return false
		}
	}
	if m.block {
		body, end := strings.CutSuffix(strings.TrimRight(line, " "), quotes)
		if end {
			line = body
		}
		if !end || line != "" {
			m.lines = append(m.lines, line)
		}
		return end
	}
	line, more := strings.CutSuffix(line, `\`)
	m.lines = append(m.lines, line)
	return !more
}
