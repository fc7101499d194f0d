package extension_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/extension"
)

// A failure is reported even if the agent has already written the maximum of errors.
func TestAFailureHasRoom(t *testing.T) {
	h := extension.NewHandler(func(_ context.Context, _ *extension.Request, w *extension.Writer) error {
		for w.Errors(extension.Fault{Type: "agent", Code: "c", Message: "m", Identifier: "i"}) == nil {
		}
		return errors.New("full")
	}, quiet)
	want := ack + eventOf("copilot_errors", `[{"type":"agent","code":"failed","message":"full","identifier":"ID"}]`) + end
	if diff := cmp.Diff(want, still(t, postBody(t, h, hello).Body.String())); diff != "" {
		t.Error(diff)
	}
}

func TestWritesAfterTheReturn(t *testing.T) {
	var late *extension.Writer
	h := extension.NewHandler(func(_ context.Context, _ *extension.Request, w *extension.Writer) error {
		late = w
		return w.Text("a")
	}, quiet)
	w := postBody(t, h, hello)
	before := w.Body.String()
	_, wrote := late.Write([]byte("b"))
	for name, err := range map[string]error{
		"Text": late.Text("b"), "Text of nothing": late.Text(""), "Write": wrote,
		"References": late.References(), "Errors": late.Errors(), "Confirm": late.Confirm(extension.Confirmation{}),
		"Stream": late.Stream(strings.NewReader("data: {\"choices\":[]}\n\n")),
	} {
		if err == nil || !strings.Contains(err.Error(), "the answer is over") {
			t.Errorf("%s = %v, want that the answer is over", name, err)
		}
	}
	if after := w.Body.String(); after != before {
		t.Errorf("the answer grew by %q", strings.TrimPrefix(after, before))
	}
}

func TestManyWriters(t *testing.T) {
	h := extension.NewHandler(func(_ context.Context, _ *extension.Request, w *extension.Writer) error {
		done := make(chan error)
		for range 8 {
			go func() {
				var err error
				for range 50 {
					err = errors.Join(err, w.Text("x"))
					_, werr := io.WriteString(w, "x")
					err = errors.Join(err, werr, w.References(extension.Reference{Type: "a.b", ID: "1", Metadata: extension.Metadata{DisplayName: "n"}}))
				}
				done <- err
			}()
		}
		var err error
		for range 8 {
			err = errors.Join(err, <-done)
		}
		return err
	}, quiet)
	want := ack + strings.Repeat(textChunk(`"x"`), 800) +
		eventOf("copilot_references", `[{"type":"a.b","id":"1","is_implicit":false,"metadata":{"display_name":"n"}}]`) + end
	if got := still(t, postBody(t, h, hello).Body.String()); got != want {
		t.Errorf("got %d bytes, want %d", len(got), len(want))
	}
}

// A server that shuts down ends the contexts of its requests. The client is still connected
// and must not take the answer for complete.
func TestAnAnswerThatIsStoppedIsNotComplete(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	h := extension.NewHandler(func(ctx context.Context, _ *extension.Request, w *extension.Writer) error {
		err := w.Text("half")
		stop()
		<-ctx.Done()
		return errors.Join(err, ctx.Err())
	}, quiet)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, post(t, hello).WithContext(ctx))
	want := ack + textChunk(`"half"`) +
		eventOf("copilot_errors", `[{"type":"agent","code":"stopped","message":"The agent was stopped before its answer was complete.","identifier":"ID"}]`) + end
	if diff := cmp.Diff(want, still(t, w.Body.String())); diff != "" {
		t.Error(diff)
	}
}

// broken is a response to a client that has disconnected without the server's notice.
type broken struct{ http.ResponseWriter }

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestAWriteThatFailsEndsTheContext(t *testing.T) {
	var wrote, cause error
	h := extension.NewHandler(func(ctx context.Context, _ *extension.Request, w *extension.Writer) error {
		wrote = w.Text("a")
		<-ctx.Done()
		cause = context.Cause(ctx)
		return nil
	}, quiet)
	h.ServeHTTP(broken{httptest.NewRecorder()}, post(t, hello))
	if wrote == nil || !strings.Contains(wrote.Error(), "the client has disconnected") || cause != wrote {
		t.Errorf("Text = %v, and the context ended by %v", wrote, cause)
	}
}
