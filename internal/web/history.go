package web

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// earlierMessage is one message of an earlier conversation that the session has not seen.
type earlierMessage struct{ role, text string }

// Bounds of an earlier conversation in a prompt, in bytes. Attachments are cut at 64
// KiB.
const (
	maxEarlier = 60 << 10
	maxSaid    = 16 << 10
)

// earlier returns a conversation that the session has not seen, as an attachment of its
// first message: some clients send a new thread id with each turn, and OpenAI's have
// none. Of a long conversation it keeps the end. It returns nil if there is none.
func earlier(conversation []earlierMessage) any {
	var parts []string
	size, whole := 0, true
	for i := len(conversation) - 1; i >= 0; i-- {
		part := written(conversation[i])
		if size+len(part) > maxEarlier {
			whole = false
			break
		}
		size += len(part)
		parts = append([]string{part}, parts...)
	}
	if len(parts) == 0 {
		return nil
	}
	head := "What was said before this message, in the same conversation:\n\n"
	if !whole {
		head = "What was said before this message, in the same conversation; the beginning is left out:\n\n"
	}
	return file("the conversation so far", head+strings.Join(parts, ""))
}

func written(m earlierMessage) string {
	text := timeline.Harmless(m.text)
	if len(text) > maxSaid {
		text = strings.ToValidUTF8(text[:maxSaid], "") + " […]"
	}
	return "## " + timeline.OneLine(m.role, 40) + "\n\n" + text + "\n\n"
}
