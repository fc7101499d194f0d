package model_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/gemini"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
)

// dripping is a provider that streams in pieces, with a gap before each but the first. Then it
// repeats the last for ever, or, if it has none to repeat, stalls.
type dripping struct {
	pieces []string
	gap    time.Duration
	repeat bool
	ends   bool // the stream ends after the pieces
	tries  int
}

func (d *dripping) RoundTrip(r *http.Request) (*http.Response, error) {
	d.tries++
	from, to := io.Pipe()
	go func() {
		defer to.Close()
		for i := 0; i < len(d.pieces) || d.repeat; i++ {
			if i > 0 {
				select {
				case <-time.After(d.gap):
				case <-r.Context().Done():
				}
			}
			if _, err := io.WriteString(to, d.pieces[min(i, len(d.pieces)-1)]); err != nil || r.Context().Err() != nil {
				_ = to.CloseWithError(r.Context().Err())
				return
			}
		}
		if !d.ends {
			<-r.Context().Done()
			_ = to.CloseWithError(r.Context().Err())
		}
	}()
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: from, Request: r}, nil
}

// flows are an answer of each dialect: an event with text, what its servers send to keep a
// connection alive, and the end.
var flows = map[string]struct{ text, ping, end string }{
	chat.Name: {events(`{"choices":[{"delta":{"content":"a"}}]}`), ": OPENROUTER PROCESSING\n\n", events(`{"choices":[{"delta":{},"finish_reason":"stop"}]}`, "[DONE]")},
	responses.Name: {
		events(`{"type":"response.output_text.delta","output_index":0,"delta":"a"}`), ": ping\n\n",
		events(`{"type":"response.completed","response":{"status":"completed"}}`),
	},
	anthropic.Name: {
		events(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}`),
		"event: ping\n" + events(`{"type":"ping"}`), events(`{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, `{"type":"message_stop"}`),
	},
	gemini.Name: {events(`{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}`), ": ping\n\n", events(`{"candidates":[{"finishReason":"STOP"}]}`)},
}

// limit is how long the tests let a provider be silent.
const limit = 2 * time.Minute

func streamFrom(t *testing.T, dialect string, d *dripping) (*model.Response, int, time.Duration, error) {
	t.Helper()
	c := everyDialect(model.Options{Transport: d, Idle: limit})
	pieces, start := 0, time.Now()
	resp, err := c.Stream(t.Context(), model.Endpoint{Dialect: dialect, BaseURL: "http://model.test/v1"}, asking, func(model.Delta) { pieces++ })
	return resp, pieces, time.Since(start), err
}

func TestAStreamThatStallsEndsInEveryDialect(t *testing.T) {
	for dialect, flow := range flows {
		for name, tc := range map[string]struct {
			server dripping
			pieces int
			after  time.Duration
		}{
			"one piece":         {dripping{pieces: []string{flow.text}}, 1, limit},
			"only pings":        {dripping{pieces: []string{flow.ping}, gap: 10 * time.Second, repeat: true}, 0, limit},
			"pings after text":  {dripping{pieces: []string{flow.text, flow.ping}, gap: 10 * time.Second, repeat: true}, 1, limit},
			"half an event":     {dripping{pieces: []string{flow.text[:8]}}, 0, limit},
			"a byte for a time": {dripping{pieces: strings.Split(flow.text[:16], ""), gap: time.Second}, 0, limit},
		} {
			t.Run(dialect+", "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					resp, pieces, took, err := streamFrom(t, dialect, &tc.server)
					if err == nil {
						t.Fatalf("%+v, want a failure", resp)
					}
					e := failure(t, err)
					if e.Category != model.CategoryTimeout || fault.KindOf(err) != fault.Unavailable || !strings.Contains(e.Message, "silent for 2m0s") {
						t.Errorf("%s: %v", e.Category, err)
					}
					tries := 1
					if tc.pieces == 0 { // nothing was delivered, so it is tried again once
						tries = 2
					}
					least := time.Duration(tries) * tc.after
					if pieces != tc.pieces || e.Delivered != (pieces > 0) || took < least || took > least+time.Second || tc.server.tries != tries {
						t.Errorf("%d pieces, %v, %d tries; want %d pieces and %d tries, ended after %v", pieces, took, tc.server.tries, tc.pieces, tries, least)
					}
				})
			})
		}
	}
}

func TestASlowStreamIsReadToItsEndInEveryDialect(t *testing.T) {
	for dialect, flow := range flows {
		for name, server := range map[string]dripping{
			"a piece every 119 seconds": {pieces: []string{flow.text, flow.text, flow.end}, gap: limit - time.Second, ends: true},
			"a byte every 100 ms":       {pieces: strings.Split(flow.text+flow.end, ""), gap: 100 * time.Millisecond, ends: true},
		} {
			t.Run(dialect+", "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					resp, pieces, took, err := streamFrom(t, dialect, &server)
					if err != nil || strings.Trim(resp.Text, "a") != "" || resp.Text == "" || pieces == 0 {
						t.Errorf("%+v, %v: %d pieces in %v", resp, err, pieces, took)
					}
				})
			})
		}
	}
}

// Pieces without content do not make an answer, however many come.
func TestAStreamOfEmptyPiecesEnds(t *testing.T) {
	empty := events(`{"choices":[{"delta":{"content":""}}],"padding":"` + strings.Repeat("x", 1<<20) + `"}`)
	synctest.Test(t, func(t *testing.T) {
		_, pieces, _, err := streamFrom(t, chat.Name, &dripping{pieces: []string{flows[chat.Name].text, empty}, gap: time.Millisecond, repeat: true})
		if e := failure(t, err); e.Category != model.CategoryProtocol || pieces != 1 || !strings.Contains(e.Message, "128 MiB without a piece") {
			t.Errorf("%d pieces, %v", pieces, err)
		}
	})
}
