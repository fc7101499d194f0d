package compact

import (
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// LeftOut is the warning that tells the user what the model no longer reads.
func LeftOut(entries []state.Message, l wire.LeftOut) wire.Data {
	_, messages, results := state.Without(entries, l)
	text := fmt.Sprintf("The conversation does not fit into the window of %s, so the model no longer reads %s of it. The session keeps all of it. "+
		"To have the model read more, choose one with a larger window, or start a new session.", l.Model, missing(messages, results))
	return wire.WithJSON(&wire.SessionWarning{WarningType: wire.WarningLeftOut, Message: text}, wire.FieldLeftOut, l)
}

// missing says what is left out, in words.
func missing(messages, results int) string {
	few := func(n int, one, many string) string {
		if n == 1 {
			return one
		}
		return fmt.Sprintf(many, n)
	}
	m, r := few(messages, "1 earlier message", "%d earlier messages"), few(results, "the whole result of 1 tool call", "the whole results of %d tool calls")
	switch {
	case results == 0:
		return m
	case messages == 0:
		return r
	}
	return m + " and " + r
}

// Below is how many tokens of a request that was too long are sent for a summary of it: less than
// it had, by our estimate, and less than the limit that the provider has named, 0 if it has not.
func Below(sent, limit int64) int64 {
	if limit > 0 {
		sent = min(sent, limit)
	}
	return sent - sent/5
}

// Ratio returns how many bytes a token has, by what a refusal says about the length of the request that was sent;
// ratio is what was assumed. known is false for a request with pictures, which says nothing about that.
func Ratio(e *model.Error, sent *model.Request, ratio float64) (now float64, known bool) {
	if Pictured(sent.Messages) {
		return ratio, false
	}
	bytes := (&turn.Prompt{Request: *sent}).Bytes()
	switch most := float64(bytes) / float64(max(e.Limit, 1)); {
	case e.Prompt > 0:
		ratio = float64(bytes) / float64(e.Prompt)
	case e.Limit > 0 && ratio > most: // it has more tokens than we thought
		ratio = most
	}
	return min(max(ratio, 1), 16), true
}

// Pictured reports whether messages have pictures or documents, of which only the provider knows how many tokens
// they have.
func Pictured(messages []model.Message) bool {
	for i := range messages {
		for _, part := range messages[i].Parts {
			if part.ImageURL != "" || part.Document != nil {
				return true
			}
		}
	}
	return false
}
