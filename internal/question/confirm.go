package question

import (
	"cmp"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// OfConfirmation is the confirmation that an agent asks for. host is the host of the agent, "" if
// it is not known. No answer of it covers later calls.
func OfConfirmation(id, host, title, message string) *Question {
	q := &Question{
		ID: id, Kind: Confirmation, Source: cmp.Or(timeline.OneLine(host, maxSource), "the agent"), Heading: timeline.OneLine(title, maxTitle),
		Options: []Option{
			{Key: "y", Words: []string{"yes"}, Text: "yes", Allows: true, answer: always(Answer{Permit: permit.Answer{Outcome: permit.Approved}})},
			{Key: "n", Words: []string{"no"}, Text: "no", answer: always(Answer{Permit: permit.Answer{Outcome: permit.Rejected}})},
			{Key: "s", Words: []string{"say"}, Text: "say something else", Prompt: "instead", Needs: true, answer: func(text string) Answer { return Answer{Instead: text} }},
			stop(),
		},
	}
	q.add(Detail{Shape: Prose, Text: message})
	return q
}

// maxSource and maxTitle bound the name of the agent that asks and the title of its confirmation, in columns.
const (
	maxSource = 100
	maxTitle  = 600
)
