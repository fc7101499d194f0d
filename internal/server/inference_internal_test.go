package server

import (
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A client that sends the answer of a model without its beginning ends the call at once. Before,
// the call waited for the end of the longest silence that a model may have.
func TestAnAnswerWithoutABeginningFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		held := &carriage{exchanges: map[string]*carried{}, ended: make(chan wire.InferenceRequestChunk, 1)}
		c := &conn{}
		c.carriage.Store(held)
		x := held.open()
		got, err := addInferenceResponse(t.Context(), c, wire.InferenceResponseChunk{RequestID: x.id, Data: "data: {}"})
		if err != nil || got != any(accepted{}) {
			t.Errorf("the piece: %+v, %v", got, err)
		}
		if answer := <-x.start; answer.err != errNoStart {
			t.Errorf("the answer is %+v", answer)
		}
		got, err = startInferenceResponse(t.Context(), c, wire.InferenceResponseStart{RequestID: x.id, Status: 200})
		if err != nil || got != any(accepted{}) {
			t.Errorf("the beginning that follows: %+v, %v", got, err)
		}
	})
}
