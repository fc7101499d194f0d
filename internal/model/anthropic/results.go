package anthropic

import (
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// resultsHaveParts reports whether the server takes pictures and documents in results. Anthropic
// does; others that speak the protocol may take only text.
func resultsHaveParts(e *model.Endpoint) bool {
	u, err := e.At()
	return err == nil && u.Hostname() == "api.anthropic.com"
}

// result writes the content of a result: its text, or a list of that and the files that it shows.
func (w *blocks) result(m *model.Message) {
	if len(m.Parts) == 0 {
		if m.Content != "" {
			w.b = wire.AppendString(append(w.b, `,"content":`...), m.Content)
		}
		return
	}
	w.b = append(w.b, `,"content":[`...)
	first := true
	if !blank(m.Content) {
		w.b = appendText(w.b, m.Content, "")
		first = false
	}
	for i := range m.Parts {
		p := &m.Parts[i]
		if p.ImageURL == "" && p.Document == nil && blank(p.Text) {
			continue
		}
		if !first {
			w.b = append(w.b, ',')
		}
		first = false
		w.within(p)
	}
	w.b = append(w.b, ']')
}

// within writes a part as a block that is not counted as one of the message.
func (w *blocks) within(p *model.Part) {
	switch {
	case p.Document != nil:
		w.documentBlock(p.Document)
	case p.ImageURL != "":
		w.imageBlock(p.ImageURL)
	default:
		w.b = appendText(w.b, p.Text, "")
	}
}
