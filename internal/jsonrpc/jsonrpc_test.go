package jsonrpc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// frame returns body as a frame.
func frame(body string) string {
	return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
}

func frames(bodies ...string) string {
	var b strings.Builder
	for _, body := range bodies {
		b.WriteString(frame(body))
	}
	return b.String()
}

// refusal is the body of an error answer.
func refusal(id string, code int, message string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, code, message)
}

// desk is a handler for tests.
func desk(_ context.Context, req *jsonrpc.Request) func() (any, error) {
	switch req.Method {
	case "echo":
		return func() (any, error) { return req.Params, nil }
	case "nothing":
		return nil
	case "html":
		return func() (any, error) { return "<b>&", nil }
	case "unencodable":
		return func() (any, error) { return func() {}, nil }
	case "refuse":
		return func() (any, error) {
			return nil, &jsonrpc.Error{Code: -32010, Message: "no", Data: json.RawMessage(`{"why":1}`)}
		}
	case "bad data":
		return func() (any, error) {
			return nil, &jsonrpc.Error{Code: -32010, Message: "no", Data: json.RawMessage(`{`)}
		}
	case "fail":
		return func() (any, error) { return nil, errors.New("out of ideas") }
	case "panic at once":
		panic("boom")
	case "panic in work":
		return func() (any, error) { panic("boom") }
	}
	return func() (any, error) {
		return nil, &jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "unhandled method " + req.Method}
	}
}

// transcript runs a connection over input, and returns what it wrote and what Run
// returned.
func transcript(t testing.TB, h jsonrpc.Handler, opts jsonrpc.Options, input string) (string, error) {
	t.Helper()
	var output bytes.Buffer
	err := jsonrpc.NewConn(jsonrpc.Pipe(strings.NewReader(input), &output), h, opts).Run(t.Context())
	return output.String(), err
}

// peer is the far end of a connection, in bytes.
type peer struct {
	net.Conn
	t testing.TB
}

// start runs a connection until the test ends. The test writes as the peer; ended
// yields what Run returned.
func start(t testing.TB, h jsonrpc.Handler, opts jsonrpc.Options) (c *jsonrpc.Conn, p peer, ended <-chan error) {
	t.Helper()
	near, far := net.Pipe()
	c = jsonrpc.NewConn(near, h, opts)
	result := make(chan error, 1)
	go func() { result <- c.Run(context.Background()) }()
	t.Cleanup(func() {
		_ = far.Close()
		_ = c.Close()
	})
	return c, peer{far, t}, result
}

func (p peer) say(body string) {
	p.t.Helper()
	if _, err := io.WriteString(p, frame(body)); err != nil {
		p.t.Fatalf("say %s: %v", body, err)
	}
}

// hear returns the next body, whose header must be exactly ours.
func (p peer) hear() string {
	p.t.Helper()
	var n int
	if _, err := fmt.Fscanf(p, "Content-Length: %d\r\n\r\n", &n); err != nil {
		p.t.Fatalf("header: %v", err)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(p, body); err != nil {
		p.t.Fatalf("body: %v", err)
	}
	return string(body)
}

func (p peer) expect(want string) {
	p.t.Helper()
	if got := p.hear(); got != want {
		p.t.Fatalf("heard %s\nwant  %s", got, want)
	}
}
