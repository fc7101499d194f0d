package bedrock

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Roles of messages.
const (
	byUser      = "user"
	byAssistant = "assistant"
)

// content writes a conversation. Messages alternate between user and assistant, so neighbours with
// one author become one message.
type content struct {
	b    []byte
	to   model.Origin // the model that it is for
	role string       // of the message that is open, "" if none is
	cite bool         // ask for citations of documents
	docs map[string]int
}

// appendConversation appends a conversation, for the model to.
func appendConversation(b []byte, list []model.Message, to model.Origin, cite bool) []byte {
	w := content{b: append(b, '['), to: to, cite: cite, docs: map[string]int{}}
	var marks []int
	if caches(to.Model) {
		marks = marksOf(list)
	}
	for i := range list {
		w.message(&list[i])
		if slices.Contains(marks, i) && w.role != "" {
			w.b = append(append(w.b, ','), cachePoint...)
		}
	}
	if w.role != "" {
		w.b = append(w.b, "]}"...)
	}
	return append(w.b, ']')
}

// marksOf returns the indexes of the messages behind which the prompt is kept: the newest one of
// the user, and the one before the last answer, which was the newest one of the last request.
func marksOf(list []model.Message) (marks []int) {
	for i := len(list) - 1; i >= 0 && len(marks) < 2; i-- {
		last := len(marks) == 0 || list[i+1].Role == model.RoleAssistant
		if list[i].Role != model.RoleAssistant && last && !empty(&list[i]) {
			marks = append(marks, i)
		}
	}
	return marks
}

// empty reports whether a message of the user is not sent.
func empty(m *model.Message) bool {
	if m.Role == model.RoleTool {
		return false
	}
	return blank(m.Content) && !slices.ContainsFunc(m.Parts, func(p model.Part) bool {
		return p.ImageURL != "" || p.Document != nil || !blank(p.Text)
	})
}

// blank reports whether a text is refused because it has only white space.
func blank(text string) bool { return strings.TrimFunc(text, unicode.IsSpace) == "" }

func (w *content) message(m *model.Message) {
	switch m.Role {
	case model.RoleAssistant:
		w.answer(m)
	case model.RoleTool:
		w.result(m)
	default:
		if m.Parts == nil {
			w.text(byUser, m.Content)
			return
		}
		w.parts(m.Parts)
	}
}

// begin opens a block, and the message that it belongs to.
func (w *content) begin(role string) {
	switch {
	case w.role == role:
		w.b = append(w.b, ',')
		return
	case w.role != "":
		w.b = append(w.b, "]},"...)
	case role == byAssistant: // the first message must be a user's
		w.b = append(w.b, `{"role":"user","content":[{"text":"(The beginning of the conversation is missing.)"}]},`...)
	}
	w.role = role
	w.b = append(append(append(w.b, `{"role":"`...), role...), `","content":[`...)
}

func (w *content) text(role, text string) {
	if blank(text) {
		return
	}
	w.begin(role)
	w.b = append(wire.AppendString(append(w.b, `{"text":`...), text), '}')
}

func (w *content) result(m *model.Message) {
	text := m.Content
	if blank(text) {
		text = "(The result is empty.)"
	}
	w.begin(byUser)
	w.b = wire.AppendString(append(w.b, `{"toolResult":{"toolUseId":`...), w.callID(m.ToolCallID))
	w.b = wire.AppendString(append(w.b, `,"content":[{"text":`...), text)
	w.b = append(w.b, `}]}}`...)
}

// maxID is the longest id of a call, in bytes; mistralID is the length of all ids of Mistral.
const (
	maxID     = 64
	mistralID = 9
)

// callID returns the id of a call as the server accepts it: letters, digits, _ and -, and of
// Mistral's models nine letters and digits. Ids of other providers may have other characters.
func (w *content) callID(id string) string {
	other := func(r rune) bool {
		return r > unicode.MaxASCII || r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	mistral := isMistral(w.to.Model)
	switch {
	case mistral && len(id) == mistralID && !strings.ContainsFunc(id, other) && !strings.ContainsAny(id, "_-"):
		return id
	case !mistral && id != "" && len(id) <= maxID && !strings.ContainsFunc(id, other):
		return id
	}
	sum := sha256.Sum256([]byte(id))
	if mistral {
		return hex.EncodeToString(sum[:])[:mistralID]
	}
	return "call_" + hex.EncodeToString(sum[:16])
}
