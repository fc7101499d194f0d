package web

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// Bounds of the text that the user sees before a decision: titles in columns, the rest in bytes.
const (
	maxTitle = 200
	maxShown = 24 << 10
)

// permissionTitle returns what the user is asked to allow, in one line.
func permissionTitle(q timeline.Request, cwd string) string {
	return timeline.ExposedLine("Allow: "+q.Title(cwd), maxTitle)
}

// permissionMessage returns what the user needs to know to decide: the command or the
// change itself, in a code block that it cannot leave, and what the rules found in it.
// Text that the model wrote about it is shown as plain text.
func permissionMessage(q timeline.Request, cwd string) string {
	var b paragraphs
	b.add(prose(q.Intention, maxTitle))
	b.note("Asked because", q.Warning)
	switch q.Kind {
	case "shell":
		b.add(block("sh", q.Command))
		b.note("In", cmp.Or(q.Cwd, cwd))
		b.note("Talks to", strings.Join(q.Hosts(), ", "))
		if q.Redirects {
			b.add("Its output goes to a file.")
		}
	case "write":
		b.note("File", q.FileName)
		if q.Diff == "" && q.Contents != nil {
			b.add(block("", *q.Contents))
		} else {
			b.add(block("diff", q.Diff))
		}
	case "read":
		b.note("File", q.Path)
	case "url":
		b.note("Address", q.URL)
		b.note("Redirected from", q.RedirectedFrom)
	default:
		b.note("Tool", q.ToolName)
		b.add(prose(q.Description, maxTitle))
		b.add(block("json", indented(q.Args)))
	}
	return cmp.Or(b.String(), "The agent asks for your permission.")
}

// paragraphs joins the parts of a message that are not empty.
type paragraphs struct{ strings.Builder }

func (p *paragraphs) add(text string) {
	if text == "" {
		return
	}
	if p.Len() > 0 {
		p.WriteString("\n\n")
	}
	p.WriteString(text)
}

func (p *paragraphs) note(label, value string) {
	if value != "" {
		p.add(label + ": " + code(timeline.ExposedLine(value, 2*maxTitle)))
	}
}

// code returns a text of one line as inline code, also if it contains backquotes.
func code(text string) string {
	fence := fenceFor(text, 1)
	if fence != "`" || strings.HasPrefix(text, " ") {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

// block returns a text as a code block, also if it contains backquotes. If the text is too long,
// a line before the block says so.
func block(language, text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	text = strings.TrimRight(timeline.Exposed(text), "\n")
	head := ""
	if len(text) > maxShown {
		cut := strings.ToValidUTF8(text[:maxShown], "")
		head = fmt.Sprintf("**Too long to be shown: these are the first %d of %d bytes.**\n\n", len(cut), len(text))
		text = cut
	}
	fence := fenceFor(text, 3)
	return head + fence + language + "\n" + text + "\n" + fence
}

// fenceFor returns a row of backticks that text does not contain, at least so many.
func fenceFor(text string, least int) string {
	longest, row := 0, 0
	for i := range len(text) {
		if text[i] != '`' {
			row = 0
			continue
		}
		row++
		longest = max(longest, row)
	}
	if longest < least {
		return strings.Repeat("`", least)
	}
	return strings.Repeat("`", longest+1)
}

// prose returns a text of one line with its Markdown escaped, so that a model's text
// beside a command can neither look like the command nor hide it.
func prose(text string, width int) string {
	return escapes.Get().Replace(timeline.OneLine(text, width))
}

var escapes = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
	return strings.NewReplacer(
		`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "!", `\!`, "#", `\#`, "|", `\|`, "~", `\~`,
	)
}}

// shown returns a model's text with its Markdown, cut at most bytes.
func shown(text string, most int) string {
	text = timeline.Harmless(strings.TrimSpace(text))
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// indented returns JSON for people to read; other text is returned unchanged.
func indented(args json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, args, "", "  ") != nil {
		return string(args)
	}
	return b.String()
}
