package web

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// question is what a session asks its person.
type question struct {
	id         string // of the request
	permission bool
	start      string // of a call of ask_user: the event that it began with
	call       string
	title      string // one line
	message    string // Markdown

	choices []string
	yes, no string // those of the choices, if it is a question of yes or no
}

// readQuestion returns what an event asks; ok is false for what nobody is to answer.
func readQuestion(e wire.Event, cwd string) (q question, ok bool) {
	if e.Type == "permission.requested" {
		r, ok := timeline.ReadRequest(e)
		if !ok || r.ResolvedBy {
			return question{}, false
		}
		q = question{id: r.ID, permission: true, call: r.ToolCallID, title: permissionTitle(r, cwd), message: permissionMessage(r, cwd)}
		q.passOn(r)
		return q, true
	}
	var asked struct {
		RequestID  string   `json:"requestId"`
		ToolCallID string   `json:"toolCallId"`
		Question   string   `json:"question"`
		Choices    []string `json:"choices"`
	}
	if json.Unmarshal(e.Data, &asked) != nil || asked.RequestID == "" {
		return question{}, false
	}
	q = question{
		id: asked.RequestID, call: asked.ToolCallID, title: timeline.OneLine(asked.Question, maxTitle),
		message: shown(asked.Question, maxShown), choices: asked.Choices,
	}
	q.yes, q.no = yesAndNo(asked.Choices)
	return q, true
}

// confirmationTool is the call as which a session whose model is itself an agent of
// this protocol asks for a confirmation.
const confirmationTool = "copilot_confirmation"

// passOn gives a confirmation of such an agent in its own words.
func (q *question) passOn(r timeline.Request) {
	var c struct{ Title, Message string }
	if r.ToolName != confirmationTool || json.Unmarshal(r.Args, &c) != nil || c.Title == "" || c.Message == "" {
		return
	}
	q.title, q.message = timeline.OneLine(c.Title, maxTitle), shown(c.Message, maxShown)
}

// yesAndNo are the two choices of a question that a confirmation can put, "" if it is
// no such question. "Yes, delete them" and "No" are as good as "yes" and "no".
func yesAndNo(choices []string) (yes, no string) {
	if len(choices) != 2 {
		return "", ""
	}
	for _, c := range choices {
		switch firstWord(c) {
		case "yes":
			yes = c
		case "no":
			no = c
		}
	}
	if yes == "" || no == "" {
		return "", ""
	}
	return yes, no
}

func firstWord(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return (r < 'a' || r > 'z') && r != '\'' && r < 0x80 })
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// confirmable reports whether a yes or a no answers it.
func (q *question) confirmable() bool { return q.permission || q.yes != "" }

// confirmation puts it as one. What accepting it means is said if it is more than yes.
func (q *question) confirmation(ticket json.RawMessage) extension.Confirmation {
	c := extension.Confirmation{Title: q.title, Message: q.message, Data: ticket}
	if q.permission || strings.EqualFold(q.yes, "yes") && strings.EqualFold(q.no, "no") {
		return c
	}
	c.Message += "\n\nAccept: " + prose(q.yes, maxTitle) + "\n\nDismiss: " + prose(q.no, maxTitle)
	return c
}

// ticket is what finds it again.
func (q *question) ticket(session string) ticket {
	if q.permission {
		return ticket{ID: q.id, Kind: aboutPermission, Session: session}
	}
	return ticket{ID: q.start, Kind: aboutQuestion, Session: session}
}

// text puts it as a message, which the next one answers.
func (q *question) text() string {
	var b strings.Builder
	b.WriteString(q.message)
	if len(q.choices) > 0 {
		b.WriteString("\n")
	}
	for i, c := range q.choices {
		b.WriteString("\n" + strconv.Itoa(i+1) + ". " + prose(c, maxTitle))
	}
	return b.String() + "\n"
}

// typed is the answer that a person has typed: one of the choices, by its number or
// its words, else their own.
func (q *question) typed(text string) wire.UserInputAnswer {
	text = strings.TrimSpace(text)
	if n, err := strconv.Atoi(strings.TrimSuffix(text, ".")); err == nil && n >= 1 && n <= len(q.choices) {
		return wire.UserInputAnswer{Answer: q.choices[n-1]}
	}
	if i := slices.IndexFunc(q.choices, func(c string) bool { return strings.EqualFold(c, text) }); i >= 0 {
		return wire.UserInputAnswer{Answer: q.choices[i]}
	}
	switch strings.ToLower(strings.TrimRight(text, ".!")) {
	case "y", "yes":
		if q.yes != "" {
			return wire.UserInputAnswer{Answer: q.yes}
		}
	case "n", "no":
		if q.no != "" {
			return wire.UserInputAnswer{Answer: q.no}
		}
	}
	return wire.UserInputAnswer{Answer: text, WasFreeform: true}
}

// decided is the answer that a decision is.
func (q *question) decided(accepted bool) wire.UserInputAnswer {
	if accepted {
		return wire.UserInputAnswer{Answer: q.yes}
	}
	return wire.UserInputAnswer{Answer: q.no}
}
