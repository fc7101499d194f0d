package question

import (
	"errors"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Kind is the kind of a question.
type Kind uint8

// The kinds of questions.
const (
	Permission   Kind = iota // whether a tool may act
	Confirmation             // of a Copilot Extensions agent
	Input                    // of the model: choices, free text, or both
	Plan                     // how to continue with a plan
	Form                     // fields to fill in
	Page                     // whether the user will visit a page
	Switch                   // whether the run continues on another model
)

// Question is one question to the user.
type Question struct {
	ID   string // the request that the answer names, "" for a call of the session; set by the caller
	Kind Kind
	// Source is the author of a question that was not made by this program, in one line:
	// "the model", "the MCP server pizza", a host; "" for the program itself. See [Question.Title].
	Source string
	// Heading is the question in full. That of a permission request is one line; others may
	// have several.
	Heading string
	Details []Detail
	// Options are the answers, in the order in which they are shown. The first that allows
	// nothing is the default: see [Question.Default].
	Options []Option
	// Fields are the form to fill in, for [Form] only. [FormAnswer] makes its answer.
	Fields *tool.Form
	// own makes the answer of words that name no option; nil: such words are no answer.
	own func(text string) Answer
	// refused has the remark about words that name an option which this question does not have.
	refused map[string]string
}

// Option is one answer that the user can choose.
type Option struct {
	Key    string   // a letter, such as "y"; "" if it has none
	Number int      // from 1 in the order of the options that have one; 0 if it has none
	Words  []string // what the user may type as well, such as "yes"
	Text   string   // in one line
	// Grants is what the option allows beyond this call, in full; "" for nothing. Where is the
	// location of an approval for a location, "" for others. No screen may cut either.
	Grants, Where string
	// Allows marks a yes, or a choice that the user has to mean. It counts only if it is chosen by
	// itself, and after the user has seen all of the details. It is never the default.
	Allows bool
	// Prompt asks for the words that go with the answer; "" if it takes none. Needs means that
	// the option is not an answer without words.
	Prompt string
	Needs  bool
	answer func(text string) Answer
}

// Answer is the answer to a question. Which field holds it depends on the kind of the question.
type Answer struct {
	Permit permit.Answer          // [Permission] and [Confirmation]
	Form   wire.ElicitationAnswer // [Form] and [Page]
	Reply  any                    // [Input], [Plan] and [Switch]: the result of the call, for JSON
	// Stop means that the user stops the run instead of answering.
	Stop bool
	// Instead is a message to the session that the user has written instead of an answer; "" for
	// none.
	Instead string
}

// errNoAnswer is the error of a choice that is not an answer.
var errNoAnswer = errors.New("the question has no such option, or the option needs text")

// Choose returns the answer of an option, by its index. text is what the user wrote with it; it is
// not used by options that take none.
func (q *Question) Choose(option int, text string) (Answer, error) {
	if option < 0 || option >= len(q.Options) {
		return Answer{}, errNoAnswer
	}
	o := &q.Options[option]
	text = strings.TrimSpace(text)
	switch {
	case o.answer == nil, o.Needs && text == "":
		return Answer{}, errNoAnswer
	case o.Prompt == "":
		text = ""
	}
	return o.answer(text), nil
}

// Default is the index of the option that is chosen at first: one that allows nothing. It is -1 if
// there is none.
func (q *Question) Default() int {
	for i, o := range q.Options {
		if !o.Allows {
			return i
		}
	}
	return -1
}

// Own is the index of the option for an answer in the user's own words, -1 if there is none.
func (q *Question) Own() int {
	if q.own == nil {
		return -1
	}
	return slices.IndexFunc(q.Options, func(o Option) bool { return o.Prompt != "" })
}

// Title is the heading after the name of who asks.
func (q *Question) Title() string {
	if q.Source == "" {
		return q.Heading
	}
	who := q.Source
	if name, ok := strings.CutPrefix(who, "the "); ok {
		who = "The " + name
	}
	return who + " asks: " + q.Heading
}

// Short is the question in one line of at most 60 columns.
func (q *Question) Short() string { return timeline.OneLine(q.Title(), 60) }

// always returns a function that gives the same answer, whatever was written.
func always(a Answer) func(string) Answer { return func(string) Answer { return a } }

// stop is the option that stops the run.
func stop() Option {
	return Option{Key: "q", Words: []string{"quit", "abort"}, Text: "stop the run", answer: always(Answer{Stop: true})}
}
