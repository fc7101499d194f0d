package turn

import (
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// streaming makes events of the pieces of an answer. It runs on the goroutine that reads the network,
// so it does as little as it can.
type streaming struct {
	turn               *turn
	message, reasoning string // the ids of the answer
	since              time.Time
	started            bool         // assistant.message_start was sent
	named              map[int]bool // calls whose name was sent
}

// begin begins an answer with ids of its own.
func (a *streaming) begin() {
	*a = streaming{turn: a.turn, message: wire.NewID(), reasoning: wire.NewID(), since: time.Now(), named: map[int]bool{}}
	a.turn.received.Store(0)
}

// broken drops an answer that broke off, and tells the clients that have seen its pieces.
// The model is asked again in the same turn. No tool has begun, because calls are made when the answer is
// complete.
func (a *streaming) broken(err error) {
	t := a.turn
	t.lost(time.Since(a.since).Milliseconds())
	reason := fault.Message(err)
	t.host.Emit(&wire.AssistantTurnRetry{TurnID: t.prompt.TurnID, Model: wire.Optional(t.prompt.Request.Model), Reason: &reason})
	a.begin()
}

// piece takes a piece of the answer. In a session without streaming, no client sees it; it counts
// all the same, because a call whose answer breaks off has cost it.
func (a *streaming) piece(d model.Delta) {
	host := a.turn.host
	a.turn.received.Store(d.Bytes)
	if a.turn.prompt.Whole {
		return
	}
	switch d.Kind {
	case model.DeltaText:
		if !a.started {
			a.started = true
			host.Emit(&wire.AssistantMessageStart{MessageID: a.message})
		}
		host.Delta(wire.MessageDelta, a.message, d.Text, "")
	case model.DeltaReasoning:
		host.Delta(wire.ReasoningDelta, a.reasoning, d.Text, "")
	case model.DeltaToolCall:
		name := d.Name
		if a.named[d.Index] {
			name = ""
		}
		a.named[d.Index] = true
		host.Delta(wire.ToolCallDelta, d.CallID, d.Text, name)
	}
	host.Progress(d.Bytes, false)
}
