package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Most providers find the beginning of a prompt in their caches by themselves. Three want help
// with it, each in its own way; others may refuse what they do not know, and get nothing.
const (
	openAI     = "https://api.openai.com/" // a key, so that the requests of a conversation meet
	xAI        = "https://api.x.ai/"       // the same in a header
	openRouter = "https://openrouter.ai/"  // marks as Anthropic has them, for its models
)

// maxKey is the longest key of a cache that OpenAI accepts, in bytes.
const maxKey = 64

// cacheKey is the name of a conversation for a cache.
func cacheKey(thread string) string {
	if len(thread) <= maxKey {
		return thread
	}
	sum := sha256.Sum256([]byte(thread))
	return hex.EncodeToString(sum[:maxKey/2])
}

// appendCacheKey names the conversation to OpenAI.
func appendCacheKey(b []byte, e *model.Endpoint, r *model.Request) []byte {
	if r.Thread == "" || !strings.HasPrefix(e.BaseURL, openAI) {
		return b
	}
	return wire.AppendString(append(b, `,"prompt_cache_key":`...), cacheKey(r.Thread))
}

// nameConversation names the conversation to xAI.
// Source: xAI's page on maximizing cache hits, 2026-11.
func nameConversation(h http.Header, e *model.Endpoint, r *model.Request) {
	if r.Thread != "" && strings.HasPrefix(e.BaseURL, xAI) {
		h.Set("X-Grok-Conv-Id", cacheKey(r.Thread))
	}
}

// marks are the indexes of the messages at whose ends the cache has a mark: the system message,
// the newest one that is not an answer, and the one that was the newest in the last request.
type marks [3]int

// marksOf returns the marks of a request that sends this list of messages, nil if its provider
// wants none.
func marksOf(e *model.Endpoint, r *model.Request, list []model.Message) *marks {
	if !strings.HasPrefix(e.BaseURL, openRouter) || !strings.HasPrefix(r.ModelAt(e), "anthropic/") {
		return nil
	}
	m := marks{-1, -1, -1}
	if len(list) > 0 && list[0].Role == model.RoleSystem {
		m[0] = 0
	}
	found := 0
	for i := len(list) - 1; i > m[0] && found < 2; i-- {
		answer := list[i].Role == model.RoleAssistant
		if !answer && (found == 0 || list[i+1].Role == model.RoleAssistant) {
			found++
			m[found] = i
		}
	}
	return &m
}

// at reports whether there is a mark at the end of a message.
func (m *marks) at(i int) bool { return m != nil && (i == m[0] || i == m[1] || i == m[2]) }

const cached = `,"cache_control":{"type":"ephemeral"}`

// mark adds a mark to a message that has just been appended from start on. A text becomes a part,
// because only parts have marks; of a tool's result, the message has it.
// Source: how the OpenRouter provider of the AI SDK places them.
func mark(b []byte, start int, m *model.Message) []byte {
	switch {
	case m.Role == model.RoleTool:
		b = append(b[:len(b)-1], cached...)
		return append(b, '}')
	case m.Parts != nil:
		b = append(b[:len(b)-len("}]}")], cached...)
		return append(b, "}]}"...)
	}
	b = wire.AppendString(append(b[:start], `{"role":`...), string(m.Role))
	b = wire.AppendString(append(b, `,"content":[{"type":"text","text":`...), m.Content)
	return append(append(b, cached...), "}]}"...)
}
