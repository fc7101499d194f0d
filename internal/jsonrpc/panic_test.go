package jsonrpc_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
)

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { panic("the transport is broken") }

// A panic on a goroutine of a connection ends that connection, not the program.
func TestAPanicEndsTheConnection(t *testing.T) {
	sent := func(_ context.Context, _ *jsonrpc.Request) func() (any, error) {
		return func() (any, error) {
			return jsonrpc.Answer{Result: 1, Sent: func() { panic("the transport is broken") }}, nil
		}
	}
	quiet := jsonrpc.Options{Logger: slog.New(slog.DiscardHandler)}
	for name, tc := range map[string]struct {
		handler jsonrpc.Handler
		input   io.Reader
	}{
		"while reading": {desk, brokenReader{}},
		"when an answer is sent": {sent, io.MultiReader(
			strings.NewReader(frame(`{"jsonrpc":"2.0","id":1,"method":"x"}`)), silence{t.Context()})},
	} {
		var output bytes.Buffer
		err := jsonrpc.NewConn(jsonrpc.Pipe(tc.input, &output), tc.handler, quiet).Run(t.Context())
		if fault.KindOf(err) != fault.Internal || !strings.Contains(err.Error(), "the transport is broken") {
			t.Errorf("%s: Run = %v, want the panic", name, err)
		}
	}
}

// A panic of a handler is logged with its stack. The client gets an error without it, and the
// connection stays.
func TestAPanicOfAHandlerIsLogged(t *testing.T) {
	var log, output bytes.Buffer
	handler := func(_ context.Context, r *jsonrpc.Request) func() (any, error) {
		return func() (any, error) {
			if r.Method == "bad" {
				panic("the handler is broken")
			}
			return "fine", nil
		}
	}
	input := strings.NewReader(frame(`{"jsonrpc":"2.0","id":1,"method":"bad"}`) + frame(`{"jsonrpc":"2.0","id":2,"method":"good"}`))
	opts := jsonrpc.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}
	if err := jsonrpc.NewConn(jsonrpc.Pipe(input, &output), handler, opts).Run(t.Context()); err != nil {
		t.Errorf("Run = %v", err)
	}
	if text := log.String(); !strings.Contains(text, "the handler is broken") || !strings.Contains(text, "panic_test.go") {
		t.Errorf("the log has no panic with its stack:\n%s", text)
	}
	if sent := output.String(); !strings.Contains(sent, `"error"`) || strings.Contains(sent, "panic_test.go") || !strings.Contains(sent, `"fine"`) {
		t.Errorf("sent:\n%s\nwant an error without a stack, and the other answer", sent)
	}
}

// silence is a peer that sends nothing until ctx ends.
type silence struct{ ctx context.Context }

func (s silence) Read([]byte) (int, error) {
	<-s.ctx.Done()
	return 0, io.EOF
}
