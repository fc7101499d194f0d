package web

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// Bounds of what a person is shown to decide on, in bytes; a title's, in columns.
const (
	maxTitle = 200
	maxShown = 24 << 10
)

// permissionTitle says what is to be allowed.
func permissionTitle(q timeline.Request, cwd string) string {
	return timeline.OneLine("Allow: "+q.Title(cwd), maxTitle)
}

// permissionMessage is what a person has to know to decide: the command or the change
// as it is, in a block that it cannot break out of, and what the rules saw in it.
// What models write beside it is shown as plain words.
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

// paragraphs are parts of a message, those that are empty left out.
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
		p.add(label + ": " + code(timeline.OneLine(value, 2*maxTitle)))
	}
}

// code is text of one line as code, whatever it holds.
func code(text string) string {
	fence := fenceFor(text, 1)
	if fence != "`" || strings.HasPrefix(text, " ") {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

// block is text as a block of code, whatever it holds. Of what is too long a person is
// told before they read the beginning.
func block(language, text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	text = strings.TrimRight(timeline.Harmless(text), "\n")
	head := ""
	if len(text) > maxShown {
		cut := strings.ToValidUTF8(text[:maxShown], "")
		head = fmt.Sprintf("**Too long to be shown: these are the first %d of %d bytes.**\n\n", len(cut), len(text))
		text = cut
	}
	fence := fenceFor(text, 3)
	return head + fence + language + "\n" + text + "\n" + fence
}

// fenceFor is a row of backticks, at least so many, that text does not hold.
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

// prose is text of one line without what Markdown would make of it: a model's words
// beside a command are not to look like the command, or hide it.
func prose(text string, width int) string {
	return escapes.Replace(timeline.OneLine(text, width))
}

var escapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "!", `\!`, "#", `\#`, "|", `\|`, "~", `\~`,
)

// shown is text of a model as it is, Markdown included, within bounds.
func shown(text string, most int) string {
	text = timeline.Harmless(strings.TrimSpace(text))
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// indented is JSON for people; what is none is shown as it is.
func indented(args json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, args, "", "  ") != nil {
		return string(args)
	}
	return b.String()
}
