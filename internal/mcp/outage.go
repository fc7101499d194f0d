package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/invisible"
)

// outage is a request that a web service did not answer as a server does, by its status or not at all.
type outage struct {
	status int    // 0: there was no answer
	text   string // the beginning of what came instead, harmless
	err    error  // nil if there was an answer
}

// Error implements [error].
func (o *outage) Error() string {
	switch {
	case o.err != nil:
		return o.err.Error()
	case o.text == "":
		return fmt.Sprintf("status %d %s", o.status, http.StatusText(o.status))
	}
	return fmt.Sprintf("status %d %s: %s", o.status, http.StatusText(o.status), o.text)
}

// Unwrap returns what hindered the request.
func (o *outage) Unwrap() error { return o.err }

// passes reports whether the server may be back in a while: what stands before it says that it is away, or
// nothing answers.
func (o *outage) passes() bool {
	switch o.status {
	case 0, http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// unsent reports whether the server cannot have got the request: no connection was made.
func (o *outage) unsent() bool {
	var way *net.OpError
	return errors.As(o.err, &way) && way.Op == "dial"
}

// errForgotten is the answer of a server that does not know the session any more. It did not carry out the request.
var errForgotten = errors.New("the server has forgotten the session")

// errHeaders is the answer of a server that wants other headers with a call than the list of its tools said.
var errHeaders = errors.New("the server wants other headers than its tools say")

// passing reports whether a connection that failed for this reason may succeed in a while.
func passing(err error) bool {
	var o *outage
	return errors.As(err, &o) && o.passes() || errors.Is(err, errForgotten) || errors.Is(err, errHeaders) || errors.Is(err, errRetired)
}

// maxQuoted bounds what is quoted of an answer, in bytes.
const maxQuoted = 300

// outageOf reads the answer of a web service that is none of its protocol.
func outageOf(answer *http.Response, body []byte) *outage {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(body), "?")), " ")
	var m struct {
		Error struct{ Message string }
	}
	if json.Unmarshal(body, &m) == nil && m.Error.Message != "" {
		text = m.Error.Message
	}
	if len(text) > maxQuoted {
		text = strings.ToValidUTF8(text[:maxQuoted], "") + " …"
	}
	return &outage{status: answer.StatusCode, text: invisible.Show(text)}
}

// judged returns the answer to a request, or what it means that it is none: the session is gone, or there is an
// outage. again says that the request can be sent once more, after the time that the server wants.
func (r *remote) judged(q *http.Request, answer *http.Response, waited int) (_ *http.Response, again bool, err error) {
	if answer.StatusCode < 400 || r.gone == nil || q.Method != http.MethodPost {
		return answer, false, nil
	}
	body, _ := io.ReadAll(io.LimitReader(answer.Body, maxRefusal)) // what came is enough
	_ = answer.Body.Close()
	answer.Body = io.NopCloser(bytes.NewReader(body))
	o := outageOf(answer, body)
	switch {
	case answer.StatusCode == http.StatusNotFound && q.Header.Get("Mcp-Session-Id") != "":
		r.gone(errForgotten)
		return nil, false, errForgotten
	case answer.StatusCode == http.StatusTooManyRequests:
		if waited < maxWaits && (q.Body == nil || q.GetBody != nil) && sleep(q.Context(), retryAfter(answer, waited)) == nil {
			return nil, true, nil
		}
		return nil, false, o
	case o.passes():
		r.gone(o)
		return nil, false, o
	case answer.StatusCode >= 500 || !isAnswer(body):
		return nil, false, o // the SDK would keep the status and the text to itself
	}
	return answer, false, nil
}

// isAnswer reports whether a body is an error of the protocol.
func isAnswer(body []byte) bool {
	var m struct {
		Version string          `json:"jsonrpc"`
		Error   json.RawMessage `json:"error"`
	}
	return json.Unmarshal(body, &m) == nil && m.Version == "2.0" && m.Error != nil
}

// Bounds of the waits for a server that gets too many requests.
const (
	maxWaits = 3
	maxWait  = 30 * time.Second
)

// retryAfter is how long a server wants a request to wait; without its word, twice as long as before.
func retryAfter(answer *http.Response, waited int) time.Duration {
	wait := reconnects[waited]
	said := answer.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(said); err == nil && seconds >= 0 {
		wait = time.Duration(min(seconds, int(maxWait/time.Second))) * time.Second
	} else if at, err := http.ParseTime(said); err == nil {
		wait = max(time.Until(at), 0)
	}
	return min(wait, maxWait)
}

// sleep waits. The error is that of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	late := time.NewTimer(d)
	defer late.Stop()
	select {
	case <-late.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
