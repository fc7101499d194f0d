package chat

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The fields in which servers send visible reasoning. Of several the first counts: they
// then hold the same text.
var reasoningFields = [...]string{
	"reasoning_content", // DeepSeek, Moonshot, llama.cpp, vLLM before 0.10
	"reasoning",         // OpenRouter, Groq, Cerebras, Ollama, vLLM
	"reasoning_text",    // the Copilot API
}

// thinkingParts in place of the name of a field says that the reasoning came as parts of the
// content, as Mistral sends it.
const thinkingParts = "thinking"

// signed begins the opaque part of a piece that is the signature of a call, as Gemini has them.
const signed = "thought_signature:"

// readerOf returns the origin whose reasoning the request may repeat; the zero value if it
// has none to repeat, which most have not.
func readerOf(e *model.Endpoint, r *model.Request) model.Origin {
	for i := range r.Messages {
		if len(r.Messages[i].Reasoning) > 0 {
			return model.OriginAt(e, r)
		}
	}
	return model.Origin{}
}

// appendAnswer appends the content of a message, and its reasoning as the server sent it: the same
// text in the same field. Some servers insist on getting it back (DeepSeek) or cache
// prompts by it (Moonshot), the others ignore it; but strict ones (Groq, Cerebras) refuse
// a field under a name that they do not send themselves, and no server gets what another
// server or model has thought. Reasoning that came as text between tags is not sent: models
// that write such tags are trained not to see it again.
// Sources: QwenLM/qwen-code#11045, tashfeenahmed/freellmapi#1070; openrouter.ai's page on
// reasoning tokens for reasoning_details.
func appendAnswer(b []byte, m *model.Message, to model.Origin, how *manners) []byte {
	r := theirs(m.Reasoning, to)
	switch {
	case r == nil:
		return appendContent(b, m, how)
	case r.Field == thinkingParts:
		b = wire.AppendString(append(b, `[{"type":"thinking","thinking":[{"type":"text","text":`...), r.Text)
		b = append(b, "}]}"...)
		if m.Content != "" {
			b = wire.AppendString(append(b, `,{"type":"text","text":`...), m.Content)
			b = append(b, '}')
		}
		return append(b, ']')
	}
	b = appendContent(b, m, how)
	switch {
	case strings.HasPrefix(r.Opaque, "["):
		return append(append(b, `,"reasoning_details":`...), r.Opaque...)
	case r.Field != "":
		b = wire.AppendString(append(append(append(b, `,"`...), r.Field...), `":`...), r.Text)
	}
	if r.Opaque != "" {
		b = wire.AppendString(append(b, `,"reasoning_opaque":`...), r.Opaque)
	}
	return b
}

// theirs is the piece that goes back to the model to; nil if there is none. An answer in this
// dialect has one, besides the signatures of its calls.
func theirs(pieces []model.Reasoning, to model.Origin) *model.Reasoning {
	for i := range pieces {
		r := &pieces[i]
		if r.Origin == to && (r.Field != "" || r.Opaque != "") && !strings.HasPrefix(r.Opaque, signed) {
			return r
		}
	}
	return nil
}

// unsigned stands for the signature of a call that another model has made.
// Source: Google's page on thought signatures.
const unsigned = "skip_thought_signature_validator"

// appendSignature appends that of a call. Gemini refuses an answer whose first call has none.
func appendSignature(b []byte, m *model.Message, at int, to *model.Origin) []byte {
	signature := ""
	for i := range m.Reasoning {
		r := &m.Reasoning[i]
		if text, ok := strings.CutPrefix(r.Opaque, signed); ok && r.Origin == *to && r.AfterCalls == at {
			signature = text
		}
	}
	if signature == "" {
		if at > 0 {
			return b
		}
		signature = unsigned
	}
	b = wire.AppendString(append(b, `,"extra_content":{"google":{"thought_signature":`...), signature)
	return append(b, "}}"...)
}
