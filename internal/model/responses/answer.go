package responses

import (
	"cmp"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// input writes the items of a conversation.
type input struct {
	b  []byte
	to model.Origin // the model that they are for
}

// appendInput appends the conversation, for the model to.
func appendInput(b []byte, list []model.Message, to model.Origin) []byte {
	in := input{b: append(b, '['), to: to}
	for i := range list {
		in.message(&list[i])
	}
	return append(in.b, ']')
}

func (in *input) message(m *model.Message) {
	switch m.Role {
	case model.RoleAssistant:
		in.answer(m)
	case model.RoleTool:
		in.begin(`{"type":"function_call_output","call_id":`)
		in.b = wire.AppendString(in.b, short(m.ToolCallID))
		in.b = append(in.b, `,"output":`...)
		in.result(m)
		in.b = append(in.b, '}')
	default:
		in.begin(`{"type":"message","role":`)
		in.b = wire.AppendString(in.b, string(m.Role))
		in.b = append(in.b, `,"content":[`...)
		in.parts(m)
		in.b = append(in.b, "]}"...)
	}
}

// result writes what a tool returned: its text, or a list of that and the files that it shows.
func (in *input) result(m *model.Message) {
	if len(m.Parts) == 0 {
		in.b = wire.AppendString(in.b, m.Content)
		return
	}
	in.b = append(in.b, '[')
	if m.Content != "" {
		in.b = append(appendText(in.b, "input_text", m.Content), ',')
	}
	in.parts(m)
	in.b = append(in.b, ']')
}

// resultsHaveParts reports whether the server takes pictures and documents in results. OpenAI does;
// many servers that speak the protocol take only text.
func resultsHaveParts(e *model.Endpoint) bool {
	u, err := e.At()
	return err == nil && (u.Hostname() == "api.openai.com" || strings.HasSuffix(u.Hostname(), ".openai.azure.com"))
}

// begin begins an item.
func (in *input) begin(text string) {
	if in.b[len(in.b)-1] != '[' {
		in.b = append(in.b, ',')
	}
	in.b = append(in.b, text...)
}

func (in *input) parts(m *model.Message) {
	if m.Parts == nil {
		in.b = appendText(in.b, "input_text", m.Content)
		return
	}
	for i, p := range m.Parts {
		if i > 0 {
			in.b = append(in.b, ',')
		}
		if d := p.Document; d != nil {
			in.b = wire.AppendString(append(in.b, `{"type":"input_file","filename":`...), d.Name)
			in.b = wire.AppendString(append(in.b, `,"file_data":`...), "data:"+d.MediaType+";base64,"+d.Data)
			in.b = append(in.b, '}')
			continue
		}
		if p.ImageURL == "" {
			in.b = appendText(in.b, "input_text", p.Text)
			continue
		}
		in.b = wire.AppendString(append(in.b, `{"type":"input_image","detail":"auto","image_url":`...), p.ImageURL)
		in.b = append(in.b, '}')
	}
}

func appendText(b []byte, kind, text string) []byte {
	b = append(append(append(b, `{"type":"`...), kind...), `","text":`...)
	return append(wire.AppendString(b, text), '}')
}

// answer writes an answer of a model as the items that it came in.
func (in *input) answer(m *model.Message) {
	phase := ""
	upTo := m.InOrder(func(text string) { in.text(text, phase) }, in.call)
	for i := range m.Reasoning {
		r := &m.Reasoning[i]
		name, ofPhase := strings.CutPrefix(r.Field, model.PhaseMark)
		if r.Origin != in.to || r.Opaque == "" && !ofPhase {
			continue
		}
		upTo(r.AfterText, r.AfterCalls)
		if ofPhase {
			phase = name
			continue
		}
		in.begin(r.Opaque)
	}
	upTo(len(m.Content), len(m.ToolCalls))
}

func (in *input) text(text, phase string) {
	in.begin(`{"type":"message","role":"assistant","content":[`)
	in.b = append(appendText(in.b, "output_text", text), ']')
	if phase != "" {
		in.b = wire.AppendString(append(in.b, `,"phase":`...), phase)
	}
	in.b = append(in.b, '}')
}

func (in *input) call(c *model.ToolCall) {
	in.begin(`{"type":"function_call","call_id":`)
	in.b = wire.AppendString(in.b, short(c.ID))
	in.b = wire.AppendString(append(in.b, `,"name":`...), c.Name)
	in.b = wire.AppendString(append(in.b, `,"arguments":`...), cmp.Or(c.Arguments, "{}"))
	in.b = append(in.b, '}')
}
