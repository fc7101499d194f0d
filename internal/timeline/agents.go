package timeline

import (
	"net/url"

	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

// Confirmation is what a Copilot Extensions agent asks the user to confirm; ok is false
// for other requests. The message is Markdown. Both texts are raw: pass
// them through [Harmless] before printing.
func (q Request) Confirmation() (title, message string, ok bool) {
	if q.ToolName != fact.Confirmation || !q.Personal {
		return "", "", false
	}
	a := readArgs(q.Args, "")
	return a.text("title"), a.text("message"), true
}

// confirmed is the row of an answered confirmation: accepted, dismissed, or void.
func confirmed(c call, d *details) Row {
	text := either(d.Result.Content, string(d.Error))
	title, _ := firstLine(text)
	return Row{Kind: Result, Title: title, Body: text, Of: c.title}
}

// maxSources bounds the sources of an answer that are shown.
const maxSources = 100

// sources are the references of an answer that have a name.
func sources(d *details) (out []Source) {
	for _, s := range d.Citations.Sources {
		name := line(either(s.Title, Exposed(s.Path)))
		if name == "" || len(out) == maxSources {
			continue
		}
		host := ""
		if u, err := url.Parse(s.URL); err == nil {
			host = exposedLine(u.Host)
		}
		out = append(out, Source{name, host})
	}
	return out
}
