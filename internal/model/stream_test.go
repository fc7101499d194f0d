package model_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// answer is a reply with some of everything.
var answer = modeltest.Reply{
	Text: "Let me look, naïvely.", Reasoning: "The user wants a look.", Piece: 7,
	ToolCalls: []modeltest.ToolCall{
		{ID: "a", Name: "view", Arguments: `{"path": "/x/é"}`},
		{ID: "b", Name: "grep", Arguments: `{"pattern":"TODO"}`},
	},
	Usage: &modeltest.Usage{Input: 100, Output: 20, CacheRead: 80, Reasoning: 5},
}

// answered is what a caller gets of it.
var answered = &model.Response{
	ID: "chatcmpl-modeltest", Model: "m", Text: "Let me look, naïvely.",
	Reasoning: []model.Reasoning{{
		Text: "The user wants a look.", Field: "reasoning_content", Origin: model.Origin{Provider: "http://model.test/v1", Model: "m"},
	}},
	ToolCalls: []model.ToolCall{
		{ID: "a", Name: "view", Arguments: `{"path": "/x/é"}`},
		{ID: "b", Name: "grep", Arguments: `{"pattern":"TODO"}`},
	},
	FinishReason: "tool_calls", CallID: "req_modeltest", Attempts: 1,
	Usage: model.Usage{Input: 100, Output: 20, CacheRead: 80, Reasoning: 5, Reported: true},
}

// measured are the fields that differ from run to run.
var measured = cmpopts.IgnoreFields(model.Response{}, "RequestBytes", "Bytes", "FirstDelta", "Duration")

func TestAnAnswerIsTheSameStreamedAndWhole(t *testing.T) {
	for name, req := range map[string]model.Request{"streamed": asking, "whole": asked} {
		got, _, err := call(t, req, answer)
		if d := cmp.Diff(answered, got, measured); d != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, d)
		}
		if err == nil && got.RequestBytes < 50 {
			t.Errorf("%s: %d bytes of the request counted", name, got.RequestBytes)
		}
		if err == nil && got.Bytes < 400 {
			t.Errorf("%s: %d bytes counted, want the body's", name, got.Bytes)
		}
	}
}

// Names that a server gives are in the events of each call.
func TestNamesOfServersAreShort(t *testing.T) {
	long := strings.Repeat("m", 1<<20)
	got, _, err := call(t, asked, modeltest.Reply{Status: 200, Body: `{"model":"` + long + `\u001b[2J","choices":[{"message":{"content":"Yes."},"finish_reason":"stop"}]}`})
	if err != nil || got.Text != "Yes." || len(got.Model) > 200 || !strings.HasPrefix(got.Model, "mmm") {
		t.Errorf("%v, %.200v", err, got)
	}
	_, _, err = call(t, asked, modeltest.Reply{Status: 400, Body: `{"error":{"message":"No.","type":"\u001b[2J` + long + `","code":"` + long + `","param":"` + long + `"}}`})
	e, _ := errors.AsType[*model.Error](err)
	if e == nil || len(e.Type) > 200 || len(e.Code) > 200 || len(e.Param) > 200 || strings.Contains(e.Type, "\x1b") {
		t.Errorf("%.200v", err)
	}
}

func TestDeltasAddUpToTheAnswer(t *testing.T) {
	got, deltas, err := call(t, asking, answer)
	if err != nil {
		t.Fatal(err)
	}
	sum := map[model.DeltaKind]string{}
	calls := make([]model.ToolCall, 2)
	for _, d := range deltas {
		sum[d.Kind] += d.Text
		if d.Kind == model.DeltaToolCall {
			c := &calls[d.Index]
			*c = model.ToolCall{ID: d.CallID, Name: d.Name, Arguments: c.Arguments + d.Text}
		}
	}
	if sum[model.DeltaText] != got.Text || sum[model.DeltaReasoning] != model.ReasoningText(got.Reasoning) || !cmp.Equal(calls, got.ToolCalls) {
		t.Errorf("deltas add up to %q and %v, answer is %+v", sum, calls, got)
	}
	inOrder := slices.IsSortedFunc(deltas, func(a, b model.Delta) int { return rank[a.Kind] - rank[b.Kind] })
	if !inOrder {
		t.Errorf("deltas out of order: %v", deltas)
	}
}

// rank is the order in which answer says things.
var rank = map[model.DeltaKind]int{model.DeltaReasoning: 1, model.DeltaText: 2, model.DeltaToolCall: 3}

func TestAWholeAnswerHasNoDeltas(t *testing.T) {
	if _, deltas, err := call(t, asked, answer); len(deltas) != 0 || err != nil {
		t.Errorf("got %v, %v", deltas, err)
	}
}

func TestStreamWorksWithoutAListener(t *testing.T) {
	srv := modeltest.NewServer(answer)
	defer srv.Close()
	got, err := newClient(srv).Stream(t.Context(), endpoint, asking, nil)
	if d := cmp.Diff(answered, got, measured); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
}

func TestAServerMayIgnoreWhatWasAsked(t *testing.T) {
	whole := modeltest.Reply{Body: `{"choices":[{"message":{"content":"all at once"},"finish_reason":"stop"}]}`}
	got, deltas, err := call(t, asking, whole)
	if want := []model.Delta{{Kind: model.DeltaText, Text: "all at once", Bytes: int64(len(whole.Body))}}; err != nil || got.Text != "all at once" || !cmp.Equal(deltas, want) {
		t.Errorf("whole for a stream: %v, deltas %v, %v; want the text as one delta", got, deltas, err)
	}
	for _, kind := range []string{"text/event-stream", "application/json", ""} {
		unasked := modeltest.Reply{
			Events: []string{`{"choices":[{"delta":{"content":"bit"}}]}`, "[DONE]"},
			Header: map[string]string{"Content-Type": kind},
		}
		if got, deltas, err := call(t, asked, unasked); err != nil || got.Text != "bit" || len(deltas) != 0 {
			t.Errorf("a stream unasked, as %q: %v, deltas %v, %v", kind, got, deltas, err)
		}
	}
}

func TestTimesAreMeasuredFromTheLastAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got, _, err := call(t, asking,
			modeltest.Reply{Status: 503, Body: "{}", Header: map[string]string{"Retry-After": "7"}},
			modeltest.Reply{Text: "ab", Piece: 1, Delay: 3 * time.Second, Gap: time.Second},
		)
		if err != nil || got.Attempts != 2 || got.FirstDelta != 3*time.Second || got.Duration != 6*time.Second {
			t.Errorf("%v: %+v, want attempt 2 with its first delta after 3 s and its end after 6 s", err, got)
		}
	})
}

func TestAStreamThatWasCutIsNeverASuccess(t *testing.T) {
	text := `{"choices":[{"delta":{"content":"half"}}]}`
	for _, tc := range []struct {
		name  string
		reply modeltest.Reply
		want  string
	}{
		{"no finish reason and no [DONE]", modeltest.Reply{Events: []string{text}}, "cut after 50 bytes: it ended without a finish reason"},
		{"the connection broke", modeltest.Reply{Events: []string{text, text}, CutAfter: 1}, "cut after 50 bytes: unexpected EOF"},
		{"inside an event", modeltest.Reply{Events: []string{text, text}, CutBytes: 70}, "cut after "},
		{
			"after the finish reason but inside an event",
			modeltest.Reply{Events: []string{text, `{"choices":[{"finish_reason":"stop"}]}`, text}, CutBytes: 110},
			"cut after ",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, deltas, err := call(t, asking, tc.reply, modeltest.Reply{Text: "again"})
			e := failure(t, err)
			if e.Category != model.CategoryNetwork || fault.KindOf(err) != fault.Unavailable || !strings.Contains(e.Message, tc.want) {
				t.Errorf("got %s: %v, want %q", e.Category, err, tc.want)
			}
			if early := tc.name == "no finish reason and no [DONE]"; (e.EndedEarly == "missing_finish_reason") != early || e.EndMark {
				t.Errorf("EndedEarly is %q and EndMark %t; the server ended it itself: %t", e.EndedEarly, e.EndMark, early)
			}
			if len(deltas) != 1 {
				t.Errorf("%d deltas, want the one before the cut: after it nothing may be tried again", len(deltas))
			}
		})
	}
}

func TestAStreamCutBeforeItsFirstDeltaIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		role := `{"choices":[{"delta":{"role":"assistant"}}]}`
		got, _, err := call(t, asking, modeltest.Reply{Events: []string{role, role}, CutAfter: 1}, modeltest.Reply{Text: "again"})
		if err != nil || got.Text != "again" || got.Attempts != 2 {
			t.Errorf("got %+v, %v, want the second attempt's answer", got, err)
		}
	})
}

func TestStreamsEndInSeveralWays(t *testing.T) {
	text, stop := `{"choices":[{"delta":{"content":"x"}}]}`, `{"choices":[{"delta":{},"finish_reason":"stop"}]}`
	for name, events := range map[string][]string{
		"a finish reason and the end of the body": {text, stop},
		"[DONE] without a finish reason":          {text, "[DONE]"},
		"both":                                    {text, stop, "[DONE]"},
		"and nothing counts after [DONE]":         {text, " [DONE] ", text, "nonsense"},
	} {
		if got, _, err := call(t, asking, modeltest.Reply{Events: events}); err != nil || got.Text != "x" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestWhatIsNotAnAnswerIsSaidSo(t *testing.T) {
	html := map[string]string{"Content-Type": "text/html; charset=utf-8"}
	for _, tc := range []struct {
		name  string
		reply modeltest.Reply
		want  string
	}{
		{
			"a web page",
			modeltest.Reply{Body: "<!doctype html>\n\n<title>Welcome\x00 to nginx</title>" + strings.Repeat("x", 1000), Header: html},
			"HTTP 200: not a JSON answer (text/html; charset=utf-8): <!doctype html> <title>Welcome to nginx</title>x",
		},
		{"nothing", modeltest.Reply{Body: " ", Header: map[string]string{"Content-Type": "x/y"}}, "HTTP 200: OK (x/y, empty body)"},
		{"JSON of another kind", modeltest.Reply{Body: `{"status":"ok"}`}, `not a JSON answer (application/json): {"status":"ok"}`},
		{"broken JSON", modeltest.Reply{Body: `{"choices":[`}, `not a JSON answer`},
		{"a stream of another kind", modeltest.Reply{Events: []string{"hello there"}}, "the stream holds something else than JSON: hello there"},
		{"a line without end", modeltest.Reply{Events: []string{strings.Repeat("x", 17<<20)}}, "the stream cannot be read: "},
		{"a stream without an answer", modeltest.Reply{Events: []string{`{"choices":[]}`, "[DONE]"}}, "without an answer"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, _, err := call(t, asking, tc.reply)
			e := failure(t, err)
			if e.Category != model.CategoryProtocol || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "/v1") {
				t.Errorf("got %s: %v\nwant %q and a hint about /v1", e.Category, err, tc.want)
			}
			if len(e.Message) > 240 {
				t.Errorf("a message of %d bytes quotes too much", len(e.Message))
			}
		})
	}
}
