package web

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// question is a question of a session to its user: a permission, or a call of ask_user.
type question struct {
	id         string // of the request
	permission bool
	start      string // of a call of ask_user: the id of its tool.execution_start
	call       string
	title      string // one line
	message    string // Markdown

	choices []string
	yes, no string // those of the choices, if it is a question of yes or no
}

// readQuestion returns the question in an event; ok is false if the user has nothing to
// answer.
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

// passOn takes over the title and message of such an agent's confirmation.
func (q *question) passOn(r timeline.Request) {
	var c struct{ Title, Message string }
	if r.ToolName != fact.Confirmation || json.Unmarshal(r.Args, &c) != nil || c.Title == "" || c.Message == "" {
		return
	}
	q.title, q.message = timeline.OneLine(c.Title, maxTitle), shown(c.Message, maxShown)
}

// yesAndNo returns the two choices of a yes-or-no question, "" for any other question.
// "Yes, delete them" counts as yes.
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

// confirmable reports whether a yes or a no answers the question.
func (q *question) confirmable() bool { return q.permission || q.yes != "" }

// confirmation returns the question as a confirmation. If its choices say more than yes
// and no, the message explains what accepting and dismissing mean.
func (q *question) confirmation(ticket json.RawMessage) extension.Confirmation {
	c := extension.Confirmation{Title: q.title, Message: q.message, Data: ticket}
	if q.permission || strings.EqualFold(q.yes, "yes") && strings.EqualFold(q.no, "no") {
		return c
	}
	c.Message += "\n\nAccept: " + prose(q.yes, maxTitle) + "\n\nDismiss: " + prose(q.no, maxTitle)
	return c
}

// ticket returns the ticket that leads back to the question.
func (q *question) ticket(session string) ticket {
	if q.permission {
		return ticket{ID: q.id, Kind: aboutPermission, Session: session}
	}
	return ticket{ID: q.start, Kind: aboutQuestion, Session: session}
}

// text returns the question as a message; the user's next message answers it.
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

// typed returns the answer that the user typed: a choice, by its number or its words,
// or free text.
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

// decided returns the choice that accepting or dismissing stands for.
func (q *question) decided(accepted bool) wire.UserInputAnswer {
	if accepted {
		return wire.UserInputAnswer{Answer: q.yes}
	}
	return wire.UserInputAnswer{Answer: q.no}
}
