package export

import (
	"fmt"
	"io"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// markdown writes a conversation as a Markdown document: a heading for each speaker, the text of
// the model as it is, and tool calls with their output in folded blocks of code.
type markdown struct {
	out    io.Writer
	reader timeline.Reader
	last   timeline.Kind // of the last heading
}

func (m *markdown) begin(title string) error {
	if title == "" {
		title = "Session"
	}
	return m.print("# " + timeline.OneLine(title, 200) + "\n")
}

func (m *markdown) end() error { return nil }

func (m *markdown) add(e wire.Event) error {
	row := m.reader.Add(e)
	text := strings.TrimSpace(row.Body)
	if e.AgentID != "" && row.Kind != timeline.Agent {
		return nil // a sub-agent's conversation is its own
	}
	switch row.Kind {
	case timeline.User:
		return m.speech(row, "User", text)
	case timeline.Model:
		return m.speech(row, "Agent", text)
	case timeline.Error:
		return m.speech(row, "Error", text)
	case timeline.Warning:
		return m.print("\n> Warning: " + row.Title + "\n")
	case timeline.Tool:
		return m.print("\n**Tool:** " + code(row.Title) + "\n")
	case timeline.Result:
		return m.result(row, text)
	case timeline.Answered, timeline.Reply:
		return m.print("\n*Answer:* " + code(row.Title) + "\n")
	case timeline.Question:
		return m.print("\n*Question:* " + code(row.Title) + "\n")
	case timeline.Agent, timeline.Compaction:
		return m.print("\n*" + string(row.Kind) + ":* " + code(row.Title) + "\n")
	}
	return nil
}

// speech writes a text under a heading, which is not repeated for the same speaker.
func (m *markdown) speech(row timeline.Row, who, text string) error {
	if text == "" {
		return nil
	}
	head := ""
	if m.last != row.Kind || row.Kind == timeline.User {
		m.last = row.Kind
		head = "\n## " + who
		if !row.Time.IsZero() {
			head += " · " + row.Time.Local().Format("2006-01-02 15:04:05")
		}
		head += "\n"
	}
	return m.print(head + "\n" + text + "\n")
}

// result writes the output of a call as a block of code, which a viewer of HTML folds.
func (m *markdown) result(row timeline.Row, text string) error {
	title := row.Title
	if row.Failed {
		title = "failed: " + title
	}
	if text == "" {
		return m.print("\n" + code(title) + "\n")
	}
	fence := fenceFor(text)
	return m.print(fmt.Sprintf("\n<details><summary>%s</summary>\n\n%s\n%s\n%s\n\n</details>\n", escaped(title), fence, text, fence))
}

// code is text as code in a line. A backtick in it makes the marks longer.
func code(text string) string {
	if text == "" {
		return ""
	}
	marks := strings.Repeat("`", longest(text)+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return marks + text + marks
}

// fenceFor is a fence that no line of text ends.
func fenceFor(text string) string { return strings.Repeat("`", max(3, longest(text)+1)) }

// longest is the length of the longest run of backticks.
func longest(text string) (most int) {
	n := 0
	for _, r := range text {
		if r != '`' {
			n = 0
			continue
		}
		n++
		most = max(most, n)
	}
	return most
}

func (m *markdown) print(text string) error {
	_, err := io.WriteString(m.out, text)
	return err
}
