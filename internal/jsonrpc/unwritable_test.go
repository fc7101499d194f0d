package jsonrpc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
)

// unread is a connection whose peer reads nothing any more.
type unread struct{ *io.PipeReader }

var errUnread = errors.New("nobody reads")

func (unread) Write([]byte) (int, error) { return 0, errUnread }

// A peer that has closed the connection after its last message may have sent that before a write to
// it fails.
func TestWhatWasSentBeforeAWriteFailedIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		var got []string
		conn := jsonrpc.NewConn(unread{r}, func(_ context.Context, req *jsonrpc.Request) func() (any, error) {
			return func() (any, error) {
				got = append(got, req.Method)
				return nil, nil
			}
		}, jsonrpc.Options{})
		send := func(method string) {
			body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":%q}`, method, method)
			if _, err := fmt.Fprintf(w, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
				t.Error(err)
			}
			synctest.Wait() // until the message is handled, and the write of its answer has failed
		}
		ended := make(chan error)
		go func() { ended <- conn.Run(t.Context()) }()
		send("first")
		send("last")
		_ = w.Close() // an io.Pipe closes
		if err := <-ended; !errors.Is(err, errUnread) {
			t.Errorf("Run = %v, want %v", err, errUnread)
		}
		if diff := cmp.Diff([]string{"first", "last"}, got); diff != "" {
			t.Errorf("handled (-want +got):\n%s", diff)
		}
	})
}
