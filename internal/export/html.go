package export

import (
	"io"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// html writes a conversation as one page, without scripts, and without anything that a browser
// would fetch. Every text is shown as it is; no Markdown is rendered.
type html struct {
	out    io.Writer
	reader timeline.Reader
}

const pageHead = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>TITLE</title>
<style>:root{color-scheme:light dark}body{max-width:60rem;margin:2rem auto;padding:0 1rem;font:16px/1.5 system-ui,sans-serif}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font-family:inherit;margin:.3rem 0}details pre,.tool{font-family:ui-monospace,monospace;font-size:.85rem}
h2{font-size:1rem;margin:1.5rem 0 0}time{font-weight:normal;opacity:.6}.tool{margin:.6rem 0 0}.failed{color:#c00}</style></head><body>
<h1>TITLE</h1>
`

func (h *html) begin(title string) error {
	if title == "" {
		title = "Session"
	}
	return h.print(strings.ReplaceAll(pageHead, "TITLE", escaped(timeline.OneLine(title, 200))))
}

func (h *html) end() error { return h.print("</body></html>\n") }

func (h *html) add(e wire.Event) error {
	row := h.reader.Add(e)
	text := strings.TrimSpace(row.Body)
	if e.AgentID != "" && row.Kind != timeline.Agent {
		return nil
	}
	switch row.Kind {
	case timeline.User:
		return h.speech(row, "User", text)
	case timeline.Model:
		return h.speech(row, "Agent", text)
	case timeline.Error:
		return h.speech(row, "Error", text)
	case timeline.Tool, timeline.Warning, timeline.Answered, timeline.Reply, timeline.Question, timeline.Agent, timeline.Compaction:
		return h.print(`<p class="tool">` + escaped(string(row.Kind)+": "+row.Title) + "</p>\n")
	case timeline.Result:
		class := ""
		if row.Failed {
			class = ` class="failed"`
		}
		return h.print("<details><summary" + class + ">" + escaped(row.Title) + "</summary><pre>" + escaped(text) + "</pre></details>\n")
	}
	return nil
}

func (h *html) speech(row timeline.Row, who, text string) error {
	if text == "" {
		return nil
	}
	when := ""
	if !row.Time.IsZero() {
		when = " <time>" + row.Time.Local().Format("2006-01-02 15:04:05") + "</time>"
	}
	return h.print("<h2>" + who + when + "</h2>\n<pre>" + escaped(text) + "</pre>\n")
}

// escaped is text as HTML shows it.
func escaped(text string) string {
	for _, pair := range [][2]string{{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {`"`, "&#34;"}, {"'", "&#39;"}} {
		text = strings.ReplaceAll(text, pair[0], pair[1])
	}
	return text
}

func (h *html) print(text string) error {
	_, err := io.WriteString(h.out, text)
	return err
}
