package chat

import (
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

// appendReasoning appends the reasoning of a message as the server sent it: the same
// text in the same field. Some servers insist on getting it back (DeepSeek) or cache
// prompts by it (Moonshot), the others ignore it; but strict ones (Groq, Cerebras) refuse
// a field under a name that they do not send themselves, and no server gets what another
// server or model has thought.
// Sources: QwenLM/qwen-code#11045, tashfeenahmed/freellmapi#1070.
func appendReasoning(b []byte, pieces []model.Reasoning, to model.Origin) []byte {
	for i := range pieces {
		r := &pieces[i]
		if r.Origin != to || r.Field == "" && r.Opaque == "" {
			continue
		}
		if r.Field != "" {
			b = wire.AppendString(append(append(append(b, `,"`...), r.Field...), `":`...), r.Text)
		}
		if r.Opaque != "" {
			b = wire.AppendString(append(b, `,"reasoning_opaque":`...), r.Opaque)
		}
		break // an answer in this dialect has one piece
	}
	return b
}
