package ask

import (
	"context"
	"io"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Form has the user fill in a form, field by field, or decline it. A page is shown and not
// opened, because the terminal may be on another machine than the user's browser.
func (a *Asker) Form(ctx context.Context, e question.Elicitation) (wire.ElicitationAnswer, error) {
	a.Discard()
	q, err := question.OfElicitation(e)
	if err != nil {
		return wire.ElicitationAnswer{}, err
	}
	width, rows := a.Size()
	d := a.details(append(a.heading(q), a.layout(q, 1, false).rows...), width, rows)
	_, _ = io.WriteString(a, d.preview())
	if q.Kind == question.Page {
		if a.Numbered {
			a.numbers(q, "", d.long())
		}
		answer, err := a.answer(ctx, asking{q: q, d: d, prompt: "will you open this page in your browser? [y] yes  [n] no › "})
		return answer.Form, err
	}
	if a.Numbered {
		a.numbers(q, "", d.long())
	}
	option, _, _, err := a.choose(ctx, asking{q: q, d: d, prompt: "fill it in? [y] yes  [n] no › "})
	if err != nil {
		return wire.ElicitationAnswer{}, err
	}
	if !q.Options[option].Allows {
		return question.Declined().Form, nil
	}
	return a.fields(ctx, q.Fields)
}

// fields asks for the values of a form until they fit together.
func (a *Asker) fields(ctx context.Context, form *tool.Form) (wire.ElicitationAnswer, error) {
	for {
		values := map[string]any{}
		for i := range form.Fields {
			value, filled, err := a.field(ctx, &form.Fields[i])
			if err != nil {
				return wire.ElicitationAnswer{}, err
			}
			if filled {
				values[form.Fields[i].Name] = value
			}
		}
		answer, err := question.FormAnswer(form, values)
		if err == nil {
			return answer.Form, nil
		}
		a.remark(question.Problem(err) + "; once more from the first field:")
	}
}

// field asks for the value of a field until it fits; filled is false if the user leaves out an
// optional one.
func (a *Asker) field(ctx context.Context, f *tool.Field) (value any, filled bool, err error) {
	width, _ := a.Size()
	if f.Description != "" { // a server has written it, and the label
		rows := terminal.Quote(question.Label(f)+": "+f.Description, width)
		_, _ = io.WriteString(a, a.Look.Bold(strings.Join(rows, "\n"))+"\n")
	}
	var names []string
	for _, c := range f.Choices {
		names = append(names, question.ChoiceLabel(c))
	}
	a.list(names)
	prompt := terminal.Margin + timeline.ExposedLine(question.Label(f)+question.How(f), min(70, width/2)) + " › "
	for {
		line, err := a.ReadLine(ctx, prompt, a.Look.Bold)
		if err != nil {
			return nil, false, err
		}
		value, filled, err := question.Value(f, line)
		if err == nil {
			return value, filled, nil
		}
		a.remark(question.Problem(err))
	}
}
