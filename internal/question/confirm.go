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

// Wishes are what the log of a session names that was not written on this machine.
type Wishes struct {
	Model, Address, Host string   // the model, where its calls go, and the host of that; "" if it names none
	Folder               string   // "" if it names none
	Idle                 []string // what has no effect, in words
}

// OfForeignLog is the question whether the model and the folder of such a log take effect. The answer is in
// [Answer.Permit].
func OfForeignLog(w Wishes) *Question {
	q := &Question{
		Kind: Confirmation, Heading: "The log of this session was not written on this machine. Use what it names?",
		Options: []Option{
			{Key: "y", Words: []string{"yes"}, Text: "yes", Allows: true, answer: always(Answer{Permit: permit.Answer{Outcome: permit.Approved}})},
			{Key: "n", Words: []string{"no"}, Text: "no, continue without it", answer: always(Answer{Permit: permit.Answer{Outcome: permit.Rejected}})},
		},
	}
	q.exact("calls of the model go to", w.Host, Caution) // first, where no long text can push it off the screen
	if w.Address != w.Host {
		q.address("at the address", w.Address, Address)
	}
	q.exact("model", w.Model, Normal)
	q.exact("folder", w.Folder, Normal)
	for _, one := range w.Idle {
		q.note("named without effect", one, Quiet)
	}
	return q
}
