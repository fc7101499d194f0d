package remote

import (
	"context"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/client"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

// A call that the server may have carried out is told from one that it has refused.
func TestUnanswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		go func() { _, _ = io.Copy(io.Discard, far) }() // ends with the connection
		c := client.New(near, client.Options{})
		defer c.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		err := (&Link{}).call(ctx, c, "session.send", nil, nil)
		if !Unanswered(err) || fault.KindOf(err) != fault.Unavailable || time.Since(began) != time.Minute {
			t.Errorf("%v after %v, want the deadline of the caller", err, time.Since(began))
		}
	})
	if Unanswered(nil) || Unanswered(fault.New(fault.Unavailable, "session.send", "", "nothing was done")) {
		t.Error("a call that was not made counts as unanswered")
	}
}
