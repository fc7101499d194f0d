package bedrock

import (
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// answer writes an answer of a model as the blocks that it came in.
func (w *content) answer(m *model.Message) {
	upTo := m.InOrder(func(text string) { w.text(byAssistant, text) }, w.call)
	for i := range m.Reasoning {
		r := &m.Reasoning[i]
		if r.Origin != w.to || r.Opaque == "" {
			continue
		}
		upTo(r.AfterText, r.AfterCalls)
		w.begin(byAssistant)
		w.b = append(w.b, r.Opaque...)
	}
	upTo(len(m.Content), len(m.ToolCalls))
}

func (w *content) call(c *model.ToolCall) {
	w.begin(byAssistant)
	w.b = wire.AppendString(append(w.b, `{"toolUse":{"toolUseId":`...), w.callID(c.ID))
	w.b = wire.AppendString(append(w.b, `,"name":`...), c.Name)
	w.b = append(append(append(w.b, `,"input":`...), c.Object()...), "}}"...)
}
