package gemini

import (
	"strings"
	"unicode"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// unsigned stands in place of the signature of a call that another model has made.
// Source: Google's page on thought signatures.
const unsigned = "skip_thought_signature_validator"

// The opaque part of a piece begins with one of these marks. It says whether the signature behind
// the mark belongs to the call or to the text that follows the piece, or that what is behind it is
// the id that the server gave the call. Ids of calls that have none are this program's own, and those of
// other models' calls mean nothing to the server: it gets neither.
const (
	ofCall = "call:"
	ofText = "text:"
	ofID   = "id:"
)

// contents writes a conversation. Neighbours with one author become one content, but for the
// results of calls: nothing else may be in theirs.
type contents struct {
	b      []byte
	to     model.Origin
	signs  bool              // the model wants a signature at the first call of an answer
	names  map[string]string // of calls, by their ids
	given  map[string]bool   // the ids of calls that the server has given
	author string            // of the content that is open, "" if none is
}

// appendContents appends a conversation, for the model to.
func appendContents(b []byte, list []model.Message, to model.Origin, signs bool) []byte {
	w := contents{b: append(b, '['), to: to, signs: signs, names: map[string]string{}, given: map[string]bool{}}
	for i := range list {
		w.message(&list[i])
	}
	if w.author != "" {
		w.b = append(w.b, "]}"...)
	}
	return append(w.b, ']')
}

// Authors of contents. Results are the user's, too, in a content of their own.
const (
	byUser    = "user"
	byModel   = "model"
	byResults = "results"
)

// begin opens a part, and the content that it belongs to.
func (w *contents) begin(author string) {
	if w.author == author {
		w.b = append(w.b, ',')
		return
	}
	if w.author != "" {
		w.b = append(w.b, "]},"...)
	}
	w.author = author
	role := byUser
	if author == byModel {
		role = byModel
	}
	w.b = append(append(append(w.b, `{"role":"`...), role...), `","parts":[`...)
}

func (w *contents) message(m *model.Message) {
	switch m.Role {
	case model.RoleAssistant:
		w.answer(m)
	case model.RoleTool:
		w.begin(byResults)
		w.b = append(w.b, `{"functionResponse":{`...)
		w.id(m.ToolCallID)
		w.b = wire.AppendString(append(w.b, `"name":`...), w.names[m.ToolCallID])
		w.b = wire.AppendString(append(w.b, `,"response":{"output":`...), m.Content)
		w.b = append(w.b, '}')
		w.files(m.Parts)
		w.b = append(w.b, "}}"...)
	default:
		if m.Parts == nil {
			w.text(byUser, m.Content, "")
		}
		for i := range m.Parts {
			w.part(&m.Parts[i])
		}
	}
}

// text writes a part of text. Only a signature makes one worth sending that has nothing but
// white space.
func (w *contents) text(author, text, signature string) {
	if signature == "" && strings.TrimFunc(text, unicode.IsSpace) == "" {
		return
	}
	w.begin(author)
	w.b = wire.AppendString(append(w.b, `{"text":`...), text)
	w.end(signature)
}

// end closes a part, with its signature if it has one.
func (w *contents) end(signature string) {
	if signature != "" {
		w.b = wire.AppendString(append(w.b, `,"thoughtSignature":`...), signature)
	}
	w.b = append(w.b, '}')
}

// files writes the pictures and documents of a result. Their names are in its text or are not needed:
// parts of a result have no text.
func (w *contents) files(parts []model.Part) {
	separator := `,"parts":[`
	for i := range parts {
		if parts[i].ImageURL != "" || parts[i].Document != nil {
			w.b = append(w.b, separator...)
			w.file(&parts[i])
			separator = ","
		}
	}
	if separator == "," {
		w.b = append(w.b, ']')
	}
}

func (w *contents) part(p *model.Part) {
	if p.ImageURL == "" && p.Document == nil {
		w.text(byUser, p.Text, "")
		return
	}
	w.begin(byUser)
	w.file(p)
}

func (w *contents) file(p *model.Part) {
	if d := p.Document; d != nil {
		w.b = wire.AppendString(append(w.b, `{"inlineData":{"mimeType":`...), d.MediaType)
		w.b = wire.AppendString(append(w.b, `,"data":`...), d.Data)
		w.b = append(w.b, "}}"...)
		return
	}
	kind, data, inline := strings.Cut(strings.TrimPrefix(p.ImageURL, "data:"), ";base64,")
	if inline {
		w.b = wire.AppendString(append(w.b, `{"inlineData":{"mimeType":`...), kind)
		w.b = wire.AppendString(append(w.b, `,"data":`...), data)
	} else {
		w.b = wire.AppendString(append(w.b, `{"fileData":{"fileUri":`...), p.ImageURL)
	}
	w.b = append(w.b, "}}"...)
}

// answer writes an answer of a model as the parts that it came in.
func (w *contents) answer(m *model.Message) {
	text, calls, onText := 0, 0, ""
	signatures := make([]string, len(m.ToolCalls))
	upTo := func(endText, endCalls int) {
		if endText = min(endText, len(m.Content)); text < endText || onText != "" {
			w.text(byModel, m.Content[text:max(text, endText)], onText)
			text, onText = max(text, endText), ""
		}
		for ; calls < min(endCalls, len(m.ToolCalls)); calls++ {
			w.call(&m.ToolCalls[calls], signatures[calls])
		}
	}
	signed := false
	for i := range m.Reasoning {
		r := &m.Reasoning[i]
		if r.Origin != w.to || r.AfterCalls >= len(signatures) {
			continue
		}
		if signature, ok := strings.CutPrefix(r.Opaque, ofCall); ok {
			signatures[r.AfterCalls], signed = signature, true
		}
		if id, ok := strings.CutPrefix(r.Opaque, ofID); ok {
			w.given[id] = id == m.ToolCalls[r.AfterCalls].ID
		}
	}
	if w.signs && !signed && len(signatures) > 0 {
		signatures[0] = unsigned
	}
	for i := range m.Reasoning {
		r := &m.Reasoning[i]
		if signature, ok := strings.CutPrefix(r.Opaque, ofText); ok && r.Origin == w.to {
			upTo(r.AfterText, r.AfterCalls)
			onText = signature
		}
	}
	upTo(len(m.Content), len(m.ToolCalls))
}

func (w *contents) call(c *model.ToolCall, signature string) {
	w.names[c.ID] = c.Name
	w.begin(byModel)
	w.b = append(w.b, `{"functionCall":{`...)
	w.id(c.ID)
	w.b = wire.AppendString(append(w.b, `"name":`...), c.Name)
	w.b = append(append(append(w.b, `,"args":`...), c.Object()...), '}')
	w.end(signature)
}

// id writes the id of a call as a member with a comma after it, if the server has given it.
func (w *contents) id(id string) {
	if w.given[id] {
		w.b = append(wire.AppendString(append(w.b, `"id":`...), id), ',')
	}
}
