package prompt

import (
	"math"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// Size is the estimated number of tokens of the parts of a request.
type Size struct {
	System, Tools int64
	// Conversation counts all messages except the system message.
	Conversation int64
}

// Total returns the size of the whole request.
func (s Size) Total() int64 { return s.System + s.Tools + s.Conversation }

// pictureTokens is the size of a picture in tokens, for every number of bytes. It is about the
// maximum, according to Anthropic's and OpenAI's documentation of the largest side that they
// keep.
const pictureTokens = 1600

// documentPage is how many bytes of base64 a page of a document has, roughly; a page costs about as
// much as a picture.
const documentPage = 60 << 10

// Measure estimates the size of a request from its bytes. A bytesPerToken below 1 means 4,
// which is about right for English and for code.
func Measure(messages []model.Message, tools []model.Tool, bytesPerToken float64) Size {
	if !(bytesPerToken >= 1) {
		bytesPerToken = 4
	}
	var system, definitions, conversation, pictures int64
	for i := range messages {
		bytes, shown := weigh(&messages[i])
		pictures += shown
		if messages[i].Role == model.RoleSystem {
			system += bytes
		} else {
			conversation += bytes
		}
	}
	for _, t := range tools {
		definitions += int64(len(t.Name) + len(t.Description) + len(t.Parameters))
	}
	tokens := func(bytes int64) int64 { return int64(math.Ceil(float64(bytes) / bytesPerToken)) }
	return Size{System: tokens(system), Tools: tokens(definitions), Conversation: tokens(conversation) + pictures*pictureTokens}
}

// weigh counts a message's bytes of text and its pictures.
func weigh(m *model.Message) (bytes, pictures int64) {
	if m.Parts == nil || m.Role == model.RoleTool {
		bytes = int64(len(m.Content))
	}
	for _, p := range m.Parts {
		if p.ImageURL != "" {
			pictures++
			continue
		}
		if p.Document != nil {
			pictures += int64(1 + len(p.Document.Data)/documentPage)
			continue
		}
		bytes += int64(len(p.Text))
	}
	for _, c := range m.ToolCalls {
		bytes += int64(len(c.Name) + len(c.Arguments))
	}
	return bytes, pictures
}
