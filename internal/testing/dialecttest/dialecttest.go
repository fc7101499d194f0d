// Package dialecttest is what the tests of all dialects share: a server that gives one answer, and
// a call to it.
package dialecttest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// Server answers every request with the same text, and keeps the last request. It is an
// [http.RoundTripper]. Not safe for concurrent use.
type Server struct {
	Status int
	Type   string // the media type of the answer
	Answer string

	Request *http.Request // the last one, nil before the first
	Body    string        // of the last request
}

// Events returns a server that answers with these data as server-sent events.
func Events(data ...string) *Server {
	var b strings.Builder
	for _, d := range data {
		b.WriteString("data: " + d + "\n\n")
	}
	return &Server{Status: http.StatusOK, Type: "text/event-stream", Answer: b.String()}
}

// JSON returns a server that answers with a document.
func JSON(status int, document string) *Server {
	return &Server{Status: status, Type: "application/json", Answer: document}
}

// RoundTrip implements [http.RoundTripper].
func (s *Server) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	var err error
	if r.Body != nil {
		body, err = io.ReadAll(r.Body)
	}
	s.Request, s.Body = r, string(body)
	return &http.Response{
		StatusCode: s.Status, Header: http.Header{"Content-Type": {s.Type}}, Body: io.NopCloser(strings.NewReader(s.Answer)), Request: r,
	}, err
}

// Ask makes one call in a dialect, without trying it again, and returns the pieces of the answer
// without their sizes.
func Ask(t testing.TB, d model.Dialect, at model.Endpoint, s *Server, r model.Request) (*model.Response, []model.Delta, error) {
	t.Helper()
	c := model.New(model.Options{Transport: s, Retry: model.Retry{Attempts: 1}}, d)
	defer c.Close()
	var deltas []model.Delta
	resp, err := c.Stream(t.Context(), at, r, func(d model.Delta) { d.Bytes = 0; deltas = append(deltas, d) })
	return resp, deltas, err
}

// End is how a call ends.
type End struct {
	Finish    model.Finish // of an answer
	Category  string       // of a failure; "" for an answer
	Retryable bool         // the failure
}

// CheckEnd reports an error unless a call has ended so.
func CheckEnd(t testing.TB, got *model.Response, err error, want End) {
	t.Helper()
	var e *model.Error
	switch {
	case want.Category == "" && (err != nil || got.FinishReason != want.Finish):
		t.Errorf("%+v, %v", got, err)
	case want.Category != "" && (!errors.As(err, &e) || e.Category != want.Category || e.Retryable != want.Retryable):
		t.Errorf("%v: %+v", err, e)
	}
}

// Measured leaves the fields of a [model.Response] out of a comparison that depend on time, on
// the length of the answer, or on the request.
func Measured() cmp.Option {
	return cmp.Options{
		cmpopts.IgnoreFields(model.Response{}, "RequestBytes", "Bytes", "Duration", "FirstDelta"), cmpopts.IgnoreFields(model.Reasoning{}, "Seal"),
	}
}

// Token returns a source of tokens that always gives the same.
func Token(token string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return token, nil }
}
