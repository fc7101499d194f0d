package question

import (
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Elicitation is what an elicitation.requested event asks: a form to fill in or, with a URL, a
// page to visit.
type Elicitation struct {
	ID      string // of the request
	Source  string // the MCP server that asks; empty: the model or a program
	Message string
	Schema  json.RawMessage
	URL     string
}

// ReadElicitation reads an elicitation.requested event.
func ReadElicitation(e wire.Event) Elicitation {
	d := wire.Raw(e.Data)
	return Elicitation{
		ID: d.Get("requestId").Text(), Source: d.Get("elicitationSource").Text(), Message: d.Get("message").Text(),
		Schema: json.RawMessage(d.Get("requestedSchema")), URL: d.Get("url").Text(),
	}
}

// OfElicitation is the question of an elicitation. The yes of a form is not an answer: the user then
// fills in its fields, see [FormAnswer]. The error says why the schema is no form.
func OfElicitation(e Elicitation) (*Question, error) {
	q := &Question{ID: e.ID, Kind: Form, Heading: timeline.Harmless(e.Message)}
	if e.Source != "" {
		q.Source = "the MCP server " + timeline.OneLine(e.Source, maxSource)
	}
	yes := Option{Key: "y", Words: []string{"yes"}, Text: "yes, fill it in", Allows: true} // which is not an answer yet
	if e.URL != "" {
		q.Kind = Page
		q.address("page", e.URL, Address)
		yes.Text, yes.answer = "yes, I will open it in my browser", always(Answer{Form: wire.ElicitationAnswer{Action: approval.Accepted}})
	} else {
		form, err := tool.ParseForm(e.Schema)
		if err != nil {
			return nil, err
		}
		q.Fields = form
		for i := range form.Fields {
			name := Label(&form.Fields[i])
			if !form.Fields[i].Required {
				name += " (optional)"
			}
			q.add(Detail{Shape: Item, Text: name})
		}
	}
	q.Options = append(q.Options, yes, Option{Key: "n", Words: []string{"no"}, Text: "no", answer: always(Declined())})
	return q, nil
}

// Declined is the answer of a user who does not fill in a form.
func Declined() Answer { return Answer{Form: wire.ElicitationAnswer{Action: approval.Declined}} }

// FormAnswer is the answer of a user who has filled in a form. values has the values of the filled
// fields by their names. The error says why they do not fit together.
func FormAnswer(form *tool.Form, values map[string]any) (Answer, error) {
	content, err := json.Marshal(values)
	if err == nil {
		err = form.Check(content)
	}
	if err != nil {
		return Answer{}, err
	}
	return Answer{Form: wire.ElicitationAnswer{Action: approval.Accepted, Content: content}}, nil
}

// Filled is a field of a form as the user has filled it in.
type Filled struct{ Name, Value string }

// Review is the question whether an answer of [FormAnswer] is sent. Its second option, the
// default, is not an answer: the user changes the form.
func (q *Question) Review(a Answer, filled []Filled) *Question {
	r := &Question{
		ID: q.ID, Kind: Page, Heading: "Send these answers?",
		Options: []Option{
			{Key: "y", Words: []string{"yes"}, Text: "send them", Allows: true, answer: always(a)},
			{Text: "change something"},
			{Key: "n", Words: []string{"no"}, Text: "decline", answer: always(Declined())},
		},
	}
	if q.Source != "" {
		r.Heading = "Send these answers to " + q.Source + "?"
	}
	for _, f := range filled {
		value := f.Value
		if value == "" {
			value = "–"
		}
		r.note(f.Name, value, Normal)
	}
	return r
}
