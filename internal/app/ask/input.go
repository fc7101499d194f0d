package ask

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// userInput is the parameters of userInput.request, and input its result.
type userInput struct {
	Question string   `json:"question"`
	Choices  []string `json:"choices"`
	Freeform *bool    `json:"allowFreeform"` // absent is yes
}

type input struct {
	Answer   string `json:"answer"`
	Freeform bool   `json:"wasFreeform"`
}

// userInput asks the question of the model until the user has answered it.
func (a *Asker) userInput(ctx context.Context, q userInput) (input, error) {
	a.Discard()
	free := q.Freeform == nil || *q.Freeform || len(q.Choices) == 0
	a.question(q.Question)
	a.list(q.Choices)
	hint := "answer › "
	if len(q.Choices) > 0 {
		hint = fmt.Sprintf("1-%d › ", len(q.Choices))
	}
	if free && len(q.Choices) > 0 {
		hint = fmt.Sprintf("1-%d, or your own words › ", len(q.Choices))
	}
	for {
		line, err := a.ReadLine(ctx, hint, a.Look.Bold)
		if err != nil {
			return input{}, err
		}
		line = strings.TrimSpace(line)
		switch chosen := pick(q.Choices, line); {
		case chosen >= 0:
			return input{Answer: q.Choices[chosen]}, nil
		case line != "" && free:
			return input{Answer: line, Freeform: true}, nil
		case line != "":
			a.remark(fmt.Sprintf("choose a number from 1 to %d", len(q.Choices)))
		}
	}
}

// pick is the index of the choice that an answer names by its number or its text, -1 for
// none.
func pick(choices []string, answer string) int {
	if n, err := strconv.Atoi(answer); err == nil && 1 <= n && n <= len(choices) {
		return n - 1
	}
	return slices.IndexFunc(choices, func(c string) bool { return strings.EqualFold(strings.TrimSpace(c), answer) && answer != "" })
}

// question prints the whole text of a question.
func (a *Asker) question(text string) {
	width, _ := a.Size()
	var b strings.Builder
	for line := range strings.Lines(strings.TrimSpace(timeline.Harmless(text))) {
		for _, row := range timeline.Wrap(strings.TrimRight(line, "\n"), width) {
			b.WriteString(a.Look.Bold(row) + "\n")
		}
	}
	_, _ = io.WriteString(a, "\n"+b.String())
}

// list prints choices with their numbers.
func (a *Asker) list(choices []string) {
	width, _ := a.Size()
	var b strings.Builder
	for i, c := range choices {
		number := fmt.Sprintf("%3d  ", i+1)
		for n, row := range timeline.Wrap(strings.Join(strings.Fields(timeline.Harmless(c)), " "), width-len(number)) {
			if n > 0 {
				number = strings.Repeat(" ", len(number))
			}
			b.WriteString(a.Look.Cyan(number) + row + "\n")
		}
	}
	_, _ = io.WriteString(a, b.String())
}
