package anthropic

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// blocks writes the blocks of a conversation. The messages of the protocol alternate between
// user and assistant, so neighbours with one author become one message.
type blocks struct {
	b    []byte
	to   model.Origin // the model that they are for
	role string       // of the message that is open, "" if none is
	cite bool         // ask for citations of documents
}

// appendConversation appends a conversation, for the model to.
func appendConversation(b []byte, list []model.Message, to model.Origin, cite bool) []byte {
	w, marks := blocks{b: append(b, '['), to: to, cite: cite}, marksOf(list)
	for i := range list {
		w.message(&list[i])
		if slices.Contains(marks, i) {
			w.b = append(append(w.b[:len(w.b)-1], cached...), '}')
		}
	}
	if w.role != "" {
		w.b = append(w.b, "]}"...)
	}
	return append(w.b, ']')
}

// blocksOf is about how many blocks a message becomes: exactly for those of the user, and no
// fewer for an answer.
func blocksOf(m *model.Message) int {
	switch {
	case m.Role == model.RoleTool:
		return 1
	case m.Role == model.RoleAssistant:
		n := len(m.ToolCalls) + len(m.Reasoning)
		if !blank(m.Content) {
			n++
		}
		return n
	case m.Parts == nil:
		if blank(m.Content) {
			return 0
		}
		return 1
	}
	n := 0
	for _, p := range m.Parts {
		if p.ImageURL != "" || p.Document != nil || !blank(p.Text) {
			n++
		}
	}
	return n
}

// blank reports whether a text is refused because it has only white space.
func blank(text string) bool { return strings.TrimFunc(text, unicode.IsSpace) == "" }

func (w *blocks) message(m *model.Message) {
	switch m.Role {
	case model.RoleAssistant:
		w.answer(m)
	case model.RoleTool:
		w.begin("user")
		w.b = wire.AppendString(append(w.b, `{"type":"tool_result","tool_use_id":`...), callID(m.ToolCallID))
		w.result(m)
		w.end()
	default:
		if m.Parts == nil {
			w.text("user", m.Content)
		}
		for i := range m.Parts {
			w.part(&m.Parts[i])
		}
	}
}

// begin opens a block, and the message that it belongs to.
func (w *blocks) begin(role string) {
	switch {
	case w.role == role:
		w.b = append(w.b, ',')
		return
	case w.role != "":
		w.b = append(w.b, "]},"...)
	case role == "assistant": // the first message must be a user's
		w.b = append(w.b, `{"role":"user","content":[{"type":"text","text":"(The beginning of the conversation is missing.)"}]},`...)
	}
	w.role = role
	w.b = append(append(append(w.b, `{"role":"`...), role...), `","content":[`...)
}

// end closes a block.
func (w *blocks) end() { w.b = append(w.b, '}') }

func (w *blocks) text(role, text string) {
	if blank(text) {
		return
	}
	w.begin(role)
	w.b = wire.AppendString(append(w.b, `{"type":"text","text":`...), text)
	w.end()
}

// appendText appends one block of text with members.
func appendText(b []byte, text, members string) []byte {
	b = wire.AppendString(append(b, `{"type":"text","text":`...), text)
	return append(append(b, members...), '}')
}

func (w *blocks) part(p *model.Part) {
	if p.ImageURL == "" && p.Document == nil {
		w.text("user", p.Text)
		return
	}
	w.begin("user")
	w.within(p)
}

func (w *blocks) imageBlock(url string) {
	if kind, data, ok := dataOf(url); ok {
		w.b = wire.AppendString(append(w.b, `{"type":"image","source":{"type":"base64","media_type":`...), kind)
		w.b = wire.AppendString(append(w.b, `,"data":`...), data)
	} else {
		w.b = wire.AppendString(append(w.b, `{"type":"image","source":{"type":"url","url":`...), url)
	}
	w.b = append(w.b, '}')
	w.end()
}

func (w *blocks) documentBlock(d *model.Document) {
	w.b = wire.AppendString(append(w.b, `{"type":"document","source":{"type":"base64","media_type":`...), d.MediaType)
	w.b = wire.AppendString(append(w.b, `,"data":`...), d.Data)
	w.b = wire.AppendString(append(w.b, `},"title":`...), d.Name)
	if w.cite {
		w.b = append(w.b, `,"citations":{"enabled":true}`...)
	}
	w.end()
}

// dataOf takes a data URL with base64 content apart.
func dataOf(url string) (kind, data string, ok bool) {
	rest, ok := strings.CutPrefix(url, "data:")
	if !ok {
		return "", "", false
	}
	kind, data, ok = strings.Cut(rest, ";base64,")
	return kind, data, ok
}

// maxID is the longest id of a call that all servers of the dialect accept, in bytes.
const maxID = 64

// callID returns the id of a call as the server accepts it: letters, digits, _ and -. Ids of
// other providers may have other characters.
func callID(id string) string {
	fits := id != "" && len(id) <= maxID && !strings.ContainsFunc(id, func(r rune) bool {
		return r > unicode.MaxASCII || r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if fits {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "call_" + hex.EncodeToString(sum[:16])
}
