package modeltest

import (
	"strconv"
	"strings"
	"time"
)

// Reply is one answer of a [Server]. The zero value is an empty answer that ends
// with "stop". It goes out as a stream or whole, as the request asks.
type Reply struct {
	// When says which requests this answers; nil: any. It is called by one
	// request at a time and must not call the server.
	When func(*Request) bool
	// Repeat keeps the reply in the script after use.
	Repeat bool

	Text string
	// Pieces are what a stream splits the text into; nil: see Piece. With Text
	// empty, a whole answer joins them.
	Pieces []string
	// Piece is the length of the pieces of text, reasoning and arguments in characters,
	// unless there are Pieces. Default 16.
	Piece     int
	Reasoning string
	ToolCalls []ToolCall
	// Finish is the finish reason. Default "tool_calls" with calls, else "stop".
	Finish string
	// Choices, if set, replace Text, Reasoning, ToolCalls and Finish.
	Choices []Choice
	// Usage, if set, ends a stream that asked for it, and every whole answer.
	Usage *Usage

	// Events, if set, are the data of a stream's events, verbatim. They must
	// bring their own "[DONE]". They go out whether or not a stream was asked for.
	Events []string
	// Status, Body and Header make any other answer: one with a Body, or with a
	// status of 300 or more, consists of them alone. Default status 200.
	Status int
	Body   string
	Header map[string]string

	// Delay comes before the answer, Gap between two events.
	Delay, Gap time.Duration
	// CutAfter breaks the connection after so many events, CutBytes after so many bytes
	// of the body. StallAfter sends nothing more after so many events; -1 sends only the
	// status. 0: never.
	CutAfter, CutBytes, StallAfter int
	// Silent never answers, not even with a status.
	Silent bool
}

// Choice is one of several parts of an answer.
type Choice struct {
	Text, Reasoning string
	ToolCalls       []ToolCall
	Finish          string // default as in Reply
}

// ToolCall is a call the model makes. An empty ID is sent as "call_<n>", counted
// from 0 in each answer.
type ToolCall struct {
	ID, Name, Arguments string
}

// Usage counts tokens.
type Usage struct {
	Input, Output, CacheRead, Reasoning int
}

// Silent returns a reply that never comes.
func Silent() Reply { return Reply{Silent: true} }

// Failure returns an error reply in OpenAI's form.
func Failure(status int, code, message string) Reply {
	return Reply{Status: status, Body: errorBody(code, message)}
}

// Varied returns n bytes of text that does not repeat itself: numbers in order. The program
// stops an answer that does; see package repetition.
func Varied(n int) string {
	b := make([]byte, 0, n+8)
	for i := 1; len(b) < n; i++ {
		b = append(strconv.AppendInt(b, int64(i), 10), ' ')
	}
	return string(b[:n])
}

// LastIs returns a [Reply.When] for requests whose last message contains text.
func LastIs(text string) func(*Request) bool {
	return func(r *Request) bool { return strings.Contains(r.Last().Content, text) }
}

// choices returns the answer's choices with every default filled in.
func (r *Reply) choices() []Choice {
	list := []Choice{{Text: r.Text, Reasoning: r.Reasoning, ToolCalls: r.ToolCalls, Finish: r.Finish}}
	if r.Choices != nil {
		list = append([]Choice(nil), r.Choices...)
	} else if r.Text == "" {
		list[0].Text = strings.Join(r.Pieces, "")
	}
	calls := 0
	for i := range list {
		list[i].ToolCalls = named(list[i].ToolCalls, &calls)
		if list[i].Finish == "" {
			list[i].Finish = finishOf(list[i].ToolCalls)
		}
	}
	return list
}

func finishOf(calls []ToolCall) string {
	if len(calls) > 0 {
		return "tool_calls"
	}
	return "stop"
}
