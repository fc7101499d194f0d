package ask

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/sidestick-dev/sidestick/internal/question"
)

// Answers returns the function that answers a method which sessions call on their
// clients, nil if a terminal does not answer it.
func Answers(method string) func(*Asker, context.Context, json.RawMessage) (any, error) {
	if !question.Answers(method) {
		return nil
	}
	return func(a *Asker, ctx context.Context, params json.RawMessage) (any, error) {
		q, err := question.Of(method, params)
		if err != nil {
			return nil, err
		}
		a.Discard()
		answer, err := a.answer(ctx, a.call(q, a.heading(q)))
		if err != nil {
			return nil, err
		}
		return answer.Reply, nil
	}
}

// call prints what a call of the session asks below its heading, and returns how it is answered. rest is
// what the heading had no room for.
func (a *Asker) call(q *question.Question, rest []string) asking {
	width, rows := a.Size()
	var texts []string
	for _, i := range q.Numbered() {
		texts = append(texts, q.Options[i].Text)
	}
	switch q.Kind {
	case question.Plan:
		s := a.layout(q, 1, false)
		d := a.details(append(rest, s.rows...), width, rows-len(texts))
		_, _ = io.WriteString(a, d.preview()+"\n")
		return asking{q: q, d: d, options: func() { a.list(texts) }, prompt: "a number, or what to change in the plan › "}
	case question.Switch:
		if a.Numbered {
			return asking{q: q, options: func() { a.numbers(q, "", false) }, prompt: "answer › "}
		}
		return asking{q: q, prompt: "[y] yes  [a] yes, always in this session  [n] no › "}
	}
	var d *details
	if len(rest) > 0 {
		d = a.details(rest, width, rows-len(texts))
		_, _ = io.WriteString(a, d.preview())
	}
	a.list(texts)
	prompt := "answer › "
	if n := len(texts); n > 0 && q.Own() >= 0 {
		prompt = fmt.Sprintf("1-%d, or your own words › ", n)
	} else if n > 0 {
		prompt = fmt.Sprintf("1-%d › ", n)
	}
	return asking{q: q, d: d, prompt: prompt}
}
