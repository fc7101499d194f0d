package tui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Messages that were sent before the user leaves have a moment, and then the program ends.
func TestOrdersEndSoonAfterTheInterface(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWork(t.Context(), func(error) {})
		var sent, given bool
		for range 3 {
			w.order(order{do: func(ctx context.Context) error {
				given = ctx.Err() == nil || given
				<-ctx.Done() // the session does not answer
				return ctx.Err()
			}})
		}
		w.order(order{do: func(context.Context) error { sent = true; return nil }})
		began := time.Now()
		w.end()
		if took := time.Since(began); took != endTime || !given || !sent {
			t.Errorf("leaving took %v, want %v; given %v, sent %v", took, endTime, given, sent)
		}
	})
}

// A message that the session may have taken does not return to the input box: it could be sent twice.
func TestAMessageThatMayHaveBeenSentIsNotADraft(t *testing.T) {
	h := start(t)
	h.session.failed = errors.Join(ErrUncertain, errors.New("no answer"))
	h.write("precious")
	h.press("enter")
	var final string
	h.until("the warning", func() bool {
		final += text(h.talk.Take(80))
		return strings.Contains(final, "it is not known whether the message was sent")
	})
	if !h.box.Empty() || !strings.Contains(final, "/history has it") || len(*h.history) != 1 {
		t.Errorf("the box has %q, the history %q, the user reads %q", h.box.Draft().Text, *h.history, final)
	}
}
