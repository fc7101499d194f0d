package anthropic

import "github.com/sidestick-dev/sidestick/internal/model"

// A mark has the provider keep everything before it for five minutes, and each use renews
// that. A request may have four: one follows the system text, so that the tools and it are
// kept, and up to three are in the conversation.
//
// A mark is found again if at most 20 blocks follow it before the next one (lookBack). So the
// end of the newest message of the user gets one, and the end of the one before, which the
// last request has marked; a turn with more blocks than that gets a third one in between.

// cached is the member that marks a block.
const cached = `,"cache_control":{"type":"ephemeral"}`

// lookBack is how many blocks before a mark the provider looks for an earlier one.
const lookBack = 20

// marksOf returns the indexes of the messages at whose ends the marks are, newest first.
func marksOf(list []model.Message) []int {
	var marks []int
	between := 0 // blocks since the newest mark
	for i := len(list) - 1; i >= 0 && len(marks) < 2; i-- {
		n := blocksOf(&list[i])
		fromUser := list[i].Role != model.RoleAssistant
		switch {
		case n == 0:
		case fromUser && (len(marks) == 0 || list[i+1].Role == model.RoleAssistant):
			marks = append(marks, i)
			if len(marks) == 1 {
				between = n
			}
		default:
			between += n
		}
	}
	if len(marks) == 2 && between > lookBack {
		marks = append(marks, inBetween(list, marks[1], marks[0]))
	}
	return marks
}

// inBetween returns the index of the earliest message of the user after from that is at most
// lookBack blocks before the end of the message to; to if there is none.
func inBetween(list []model.Message, from, to int) int {
	best, blocks := to, 0
	for i := to; i > from && blocks <= lookBack; i-- {
		if n := blocksOf(&list[i]); list[i].Role != model.RoleAssistant && n > 0 {
			best = i
		}
		blocks += blocksOf(&list[i])
	}
	return best
}
