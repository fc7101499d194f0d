package anthropic

import (
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// answer writes an answer of a model as the blocks that it came in.
func (w *blocks) answer(m *model.Message) {
	upTo := m.InOrder(func(text string) { w.text("assistant", text) }, w.call)
	for i := range m.Reasoning {
		r := &m.Reasoning[i]
		if r.Origin != w.to || r.Opaque == "" {
			continue
		}
		upTo(r.AfterText, r.AfterCalls)
		w.begin("assistant")
		w.b = append(w.b, r.Opaque...)
	}
	upTo(len(m.Content), len(m.ToolCalls))
}

func (w *blocks) call(c *model.ToolCall) {
	w.begin("assistant")
	w.b = wire.AppendString(append(w.b, `{"type":"tool_use","id":`...), callID(c.ID))
	w.b = wire.AppendString(append(w.b, `,"name":`...), c.Name)
	w.b = append(append(w.b, `,"input":`...), c.Object()...)
	w.end()
}
