package mcp

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// nested is JSON with so many levels of lists.
func nested(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

// TestAMessageThatIsTooDeep: an answer is replaced by an error for the call, so that the call ends
// and others go on; another message ends the server, by name.
func TestAMessageThatIsTooDeep(t *testing.T) {
	const fails = `"error":{"code":-32603,"message":"it sent a message with more than 512 levels of JSON"}}`
	wide := `{"jsonrpc":"2.0","id":4,"result":{"a":[` + strings.Repeat("[],", 1_000_000) + `1]}}`
	for name, tc := range map[string]struct {
		printed, want string
		broke         bool
	}{
		"an answer":            {`{"jsonrpc":"2.0","id":1,"result":{"a":"]]\"","b":` + nested(200_000) + `}}`, `{"jsonrpc":"2.0","id":1,` + fails, false},
		"one that begins deep": {`{"result":` + nested(200_000) + `,"id":"x\"y","jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","id":"x\"y",` + fails, false},
		"just too deep":        {`{"jsonrpc":"2.0","id":2,"result":` + nested(512) + `}`, `{"jsonrpc":"2.0","id":2,` + fails, false},
		"the deepest":          {`{"jsonrpc":"2.0","id":2,"result":` + nested(511) + `}`, `{"jsonrpc":"2.0","id":2,"result":` + nested(511) + `}`, false},
		"brackets in a text":   {`{"jsonrpc":"2.0","id":3,"result":"\\` + strings.Repeat("[", 2000) + `"}`, `{"jsonrpc":"2.0","id":3,"result":"\\` + strings.Repeat("[", 2000) + `"}`, false},
		"a wide one":           {wide, wide, false},
		"a notification":       {`{"jsonrpc":"2.0","method":"m","params":` + nested(200_000) + `}`, "", true},
		"a batch":              {`[{"jsonrpc":"2.0","id":1,"result":` + nested(200_000) + `}]`, "", true},
		"no message":           {`{` + nested(200_000), "", false},
	} {
		t.Run(name, func(t *testing.T) {
			var broken error
			m := newMessages(io.NopCloser(strings.NewReader(tc.printed+"\n")), &tail{}, func(err error) { broken = err })
			read, err := io.ReadAll(m)
			if got := strings.TrimSuffix(string(read), "\n"); got != tc.want {
				t.Errorf("read %.200q, want %.200q", got, tc.want)
			}
			if tc.broke != errors.Is(broken, errLevels) || tc.broke != errors.Is(err, errLevels) {
				t.Errorf("it broke with %v, the reading ended with %v", broken, err)
			}
		})
	}
}

// TestAnAnswerOfAWebServiceThatIsTooDeep: the reading ends where it is, in a body and in a stream
// of events, however the lines are divided.
func TestAnAnswerOfAWebServiceThatIsTooDeep(t *testing.T) {
	const stream = "text/event-stream"
	lines := strings.Repeat("data: "+strings.Repeat("[", 300)+"\r\n", 3)
	for name, tc := range map[string]struct {
		kind, body string
		fails      bool
	}{
		"a body":                        {"application/json", nested(200_000), true},
		"the deepest":                   {"application/json", nested(512), false},
		"an event":                      {stream, "event: message\ndata: " + nested(200_000) + "\n\n", true},
		"an event on several lines":     {stream, lines + "\r\n", true},
		"with a quote in another field": {stream, "id: \"\ndata: " + nested(200_000) + "\n\n", true},
		"a type in other letters":       {"Text/Event-Stream; a=b", "id: \"\ndata: " + nested(200_000) + "\n\n", true},
		"many events":                   {stream, strings.Repeat("data: "+strings.Repeat("[", 300)+"\n\n", 100), false},
		"a comment":                     {stream, ": " + nested(200_000) + "\n\n", false},
		"a wide body":                   {"application/json", "[" + strings.Repeat("{},", 1_000_000) + "1]", false},
	} {
		t.Run(name, func(t *testing.T) {
			answer := bounded(&http.Response{Header: http.Header{"Content-Type": {tc.kind}}, Body: io.NopCloser(strings.NewReader(tc.body))})
			read, err := io.ReadAll(answer.Body)
			if tc.fails != errors.Is(err, errLevels) || !tc.fails && len(read) != len(tc.body) {
				t.Errorf("read %d of %d bytes, %v", len(read), len(tc.body), err)
			}
		})
	}
}
