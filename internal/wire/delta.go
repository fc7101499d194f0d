package wire

import (
	"strconv"
	"time"

	"github.com/github/copilot-sdk/go/rpc"
)

// The types that a [Delta] can have.
const (
	MessageDelta   = rpc.SessionEventTypeAssistantMessageDelta
	ReasoningDelta = rpc.SessionEventTypeAssistantReasoningDelta
	ToolCallDelta  = rpc.SessionEventTypeAssistantToolCallDelta
	StreamingDelta = rpc.SessionEventTypeAssistantStreamingDelta
)

// Delta is a piece of an answer as it streams. Deltas are always ephemeral and by far the
// most frequent events; the log has one complete message instead. A delta is encoded only
// when a reader takes it, so that [Delta.Join] can merge many into one for a reader that
// lags.
type Delta struct {
	Header
	// Key is the id of the message, reasoning or tool call that the piece belongs to;
	// empty for a [StreamingDelta].
	Key string
	// Text is the piece, to be appended to those before.
	Text []byte
	// Name is the tool's name, on the first piece of a [ToolCallDelta].
	Name string
	// Size is the number of bytes received so far, for a [StreamingDelta].
	Size int64
	// Joined is how many later deltas were merged into this one. It is not on the wire.
	Joined int
}

// NewDelta makes a delta after the persisted event parent. It has no id and no time before [Delta.Stamp], because most
// deltas of a fast answer are joined to an earlier one, and need none.
func NewDelta(t EventType, parent, key, text string) Delta {
	return Delta{Header: Header{ParentID: parent, Ephemeral: true, Type: t}, Key: key, Text: []byte(text)}
}

// Stamp gives a delta that has none a new id and the time of now.
func (d *Delta) Stamp() {
	if d.ID == "" {
		d.ID, d.Time = NewID(), time.Now()
	}
}

// maxJoined bounds the text of merged deltas, in bytes, so that a client can show one
// notification smoothly.
const maxJoined = 64 << 10

// Join appends next to d and reports true if both are pieces of the same message; d
// keeps its id and time. d must own its Text.
func (d *Delta) Join(next *Delta) bool {
	if d.Type != next.Type || d.Key != next.Key || d.AgentID != next.AgentID || len(d.Text)+len(next.Text) > maxJoined {
		return false
	}
	d.Text = append(d.Text, next.Text...)
	d.Size = max(d.Size, next.Size)
	d.Joined += 1 + next.Joined
	return true
}

// AppendJSON appends the delta as an event.
func (d *Delta) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, d.Type...)
	dst = append(dst, `","data":{`...)
	switch d.Type {
	case StreamingDelta:
		dst = append(dst, `"totalResponseSizeBytes":`...)
		dst = strconv.AppendInt(dst, d.Size, 10)
	case ToolCallDelta:
		dst = d.appendFields(dst, `"toolCallId":`, `,"inputDelta":`)
		if d.Name != "" {
			dst = append(dst, `,"toolName":`...)
			dst = AppendString(dst, d.Name)
			dst = append(dst, `,"toolType":"function"`...)
		}
	case ReasoningDelta:
		dst = d.appendFields(dst, `"reasoningId":`, `,"deltaContent":`)
	default:
		dst = d.appendFields(dst, `"messageId":`, `,"deltaContent":`)
	}
	dst = append(dst, '}')
	return appendTail(dst, &d.Header)
}

func (d *Delta) appendFields(dst []byte, key, text string) []byte {
	dst = append(dst, key...)
	dst = AppendString(dst, d.Key)
	dst = append(dst, text...)
	return appendBytes(dst, d.Text)
}
