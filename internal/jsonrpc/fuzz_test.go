package jsonrpc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
)

// FuzzConn sends arbitrary bytes: the connection must end, and everything that it wrote
// must be valid answers in exact frames.
func FuzzConn(f *testing.F) {
	for _, seed := range []string{
		"", "x", frame(`{}`), frame(`[]`) + frame(`1`), frame(`{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":"\ud800"}}`),
		frames(`{"jsonrpc":"2.0","id":"a","method":"wait"}`, `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"a"}}`),
		frames(`{"jsonrpc":"2.0","id":1,"method":"wait"}`, `{"jsonrpc":"2.0","id":1,"method":"fail"}`, `{"jsonrpc":"2.0","method":"panic in work"}`),
		frame(`{"id":1,"result":2}`), frame("{\"id\":\"\xff\"}"), frame(`{"id":1e3,"method":"echo"}`),
		"Content-Length: 3000\r\n\r\n{\"id\":5," + string(make([]byte, 3000)), "Content-Length: 0\r\n\r\n",
		frame(`{"jsonrpc":"2.0","id":1,"method":"\ud83d\ude00"}`), frame(`{"jsonrpc":"2.0","id":"`), "Content-Length: 9\n\n{\"id\":7,}",
	} {
		f.Add([]byte(seed))
	}
	h := func(ctx context.Context, req *jsonrpc.Request) func() (any, error) {
		if req.Method == "wait" {
			return func() (any, error) { <-ctx.Done(); return nil, ctx.Err() }
		}
		return desk(ctx, req)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		var output bytes.Buffer
		c := jsonrpc.NewConn(jsonrpc.Pipe(bytes.NewReader(input), &output), h, jsonrpc.Options{MaxFrame: 2000, MaxInFlight: 3})
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = c.Run(context.Background())
		}()
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			t.Fatalf("%q does not end the connection", input)
		}
		for output.Len() > 0 {
			checkAnswer(t, nextFrame(t, &output))
		}
	})
}

// nextFrame reads a frame in exactly our spelling.
func nextFrame(t *testing.T, stream *bytes.Buffer) []byte {
	var n int
	if _, err := fmt.Fscanf(stream, "Content-Length: %d\r\n\r\n", &n); err != nil {
		t.Fatalf("header: %v, before %q", err, stream)
	}
	if n > stream.Len() {
		t.Fatalf("frame of %d bytes has %d", n, stream.Len())
	}
	return stream.Next(n)
}

func checkAnswer(t *testing.T, body []byte) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(body, &m); err != nil || !utf8.Valid(body) {
		t.Fatalf("said %q: %v", body, err)
	}
	_, success := m["result"]
	failure, failed := m["error"]
	if string(m["jsonrpc"]) != `"2.0"` || m["id"] == nil || success == failed || len(m) != 3 {
		t.Errorf("said %s, which is not an answer", body)
	}
	var e struct {
		Code    int
		Message string
	}
	if err := json.Unmarshal(failure, &e); failed && (err != nil || e.Code == 0 || e.Message == "") {
		t.Errorf("said %s, which is no error", body)
	}
	var id any
	dec := json.NewDecoder(bytes.NewReader(m["id"]))
	dec.UseNumber()
	if err := dec.Decode(&id); err != nil {
		t.Errorf("said %s, whose id is %v", body, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		t.Errorf("said %s, whose id has more behind it", body)
	}
}
