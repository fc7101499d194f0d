package question

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// userInput is the parameters of userInput.request. Its result is a [wire.UserInputAnswer].
type userInput struct {
	Question string   `json:"question"`
	Choices  []string `json:"choices"`
	Freeform *bool    `json:"allowFreeform"` // absent is yes
}

// ofInput is a question of the model.
func ofInput(p userInput) *Question {
	q := &Question{Kind: Input, Source: "the model", Heading: strings.TrimSpace(timeline.Harmless(p.Question))}
	for i, c := range p.Choices {
		q.Options = append(q.Options, Option{Number: i + 1, Text: exposed(c), Allows: true, answer: always(Answer{Reply: wire.UserInputAnswer{Answer: c}})})
	}
	if p.Freeform != nil && !*p.Freeform && len(p.Choices) > 0 {
		return q
	}
	q.own = func(text string) Answer {
		return Answer{Reply: wire.UserInputAnswer{Answer: text, WasFreeform: true}}
	}
	q.Options = append(q.Options, Option{Text: "in your own words", Prompt: "answer", Needs: true, answer: q.own})
	return q
}

// oneLine is text of a model in one harmless line of any length.
func oneLine(text string) string { return strings.Join(strings.Fields(timeline.Harmless(text)), " ") }
