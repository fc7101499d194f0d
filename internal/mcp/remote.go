package mcp

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/dial"
)

// remote sends the requests to a server that is a web service. It implements
// [http.RoundTripper].
type remote struct {
	to          *url.URL
	headers     map[string]string
	base        http.RoundTripper
	credentials *credentials
	// prepare is called before a request; nil: nothing is to be done.
	prepare func(context.Context)
	// renew gets other credentials for a server that has refused those of a request; nil: there are none.
	renew func(context.Context, sent, *challenge) bool
	// gone is called when the server has forgotten the session, or is away; nil: nothing is made of the status of an answer.
	gone func(why error)
	// heard gets each message, and unheard is called when the stream of changes
	// has ended; nil: nobody wants to know.
	heard   func(message []byte)
	unheard func()
	// lacks is called when the server has answered a message that the token lacks a scope; nil: nobody wants to know.
	lacks func(*narrow)
	// refused is set once the server has answered that it wants the client to authenticate.
	refused atomic.Bool
}

// retries is how often a stream of events that ends is opened again.
const retries = 3

// newRemote returns what sends requests to a web service.
func newRemote(c *config, base http.RoundTripper, own *credentials) (*remote, error) {
	to, err := url.Parse(c.url)
	if err != nil {
		return nil, unavailable("the address cannot be read: %w", err)
	}
	return &remote{to: to, headers: c.headers, base: base, credentials: own}, nil
}

// transport returns the connection to the web service.
func (r *remote) transport(c *config) sdk.Transport {
	client := &http.Client{Transport: r}
	if c.transport == transportSSE {
		return &sdk.SSEClientTransport{Endpoint: c.url, HTTPClient: client}
	}
	return &sdk.StreamableClientTransport{Endpoint: c.url, HTTPClient: client, MaxRetries: retries}
}

// maxTries is how often one request is sent: with the credentials that are there, with a new token,
// and with the token of another sign-in.
const maxTries = 3

// RoundTrip implements [http.RoundTripper]. A request to another host than the configured one is
// refused: a server could have its requests, with the arguments of calls and what users answer,
// sent anywhere by a redirect or by the address in an endpoint event, also into the network of the user.
func (r *remote) RoundTrip(q *http.Request) (*http.Response, error) {
	if !dial.SameHost(q.URL, r.to) || q.URL.Scheme != r.to.Scheme && q.URL.Scheme != "https" {
		return nil, unavailable("the server sends its requests on to %s, another host, which is refused; configure that address if it is right", q.URL.Host)
	}
	if r.prepare != nil {
		r.prepare(q.Context())
	}
	for try, waited := 1, 0; ; try++ {
		with := r.credentials.now()
		one, err := r.dressed(q, with, try+waited)
		if err != nil {
			return nil, err
		}
		answer, err := r.base.RoundTrip(one)
		if err != nil {
			return nil, r.silent(q, err)
		}
		c := challengeOf(answer)
		if c == nil {
			answer, again, err := r.judged(q, answer, waited)
			switch {
			case again:
				waited, try = waited+1, try-1
				continue
			case err != nil:
				return nil, err
			case answer.StatusCode < 400 && q.Method == http.MethodPost:
				r.refused.Store(false)
			}
			return r.overheard(q, bounded(answer)), nil
		}
		c.read(answer)
		r.credentials.refused(c, with.access)
		if try < maxTries && r.renew != nil && (q.Body == nil || q.GetBody != nil) && r.renew(q.Context(), with, c) {
			continue
		}
		if c.status == http.StatusForbidden {
			lack := &narrow{scope: c.scope}
			if r.lacks != nil && q.Method == http.MethodPost {
				r.lacks(lack)
			}
			return nil, lack // as an answer, it would end the connection
		}
		r.refused.Store(true)
		return answer, nil
	}
}

// silent is what it means that a request got no answer.
func (r *remote) silent(q *http.Request, err error) error {
	if q.Context().Err() != nil || r.gone == nil {
		return err
	}
	o := &outage{err: err}
	if q.Method == http.MethodPost {
		r.gone(o)
	}
	return o
}

// dressed is a request with everything that it takes along.
func (r *remote) dressed(q *http.Request, with sent, try int) (*http.Request, error) {
	one := q.Clone(q.Context())
	if try > 1 && q.GetBody != nil {
		body, err := q.GetBody()
		if err != nil {
			return nil, err
		}
		one.Body = body
	}
	for name, value := range r.headers {
		one.Header.Set(name, value)
	}
	for name, value := range with.headers {
		one.Header.Set(name, value)
	}
	if with.authorization != "" {
		one.Header.Set("Authorization", with.authorization)
	}
	return one, nil
}

// bounded bounds the body of an answer: the levels of its JSON, and its length or that of what a
// stream of events brings within a time.
func bounded(answer *http.Response) *http.Response {
	if isEvents(answer) {
		answer.Body = &shallow{ReadCloser: &metered{ReadCloser: answer.Body}, events: true}
	} else {
		answer.Body = &shallow{ReadCloser: limited{io.LimitReader(answer.Body, maxLine), answer.Body}}
	}
	return answer
}

// isEvents reports whether an answer is a stream of events. The SDK ignores the case of the type, too.
func isEvents(answer *http.Response) bool {
	kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	return kind == "text/event-stream"
}

// metered is a stream of events that ends if too much comes too fast.
type metered struct {
	io.ReadCloser
	since    time.Time // the beginning of the window in which it counts
	received int
}

// Read implements [io.Reader].
func (m *metered) Read(p []byte) (int, error) {
	n, err := m.ReadCloser.Read(p)
	if now := time.Now(); now.Sub(m.since) > floodTime {
		m.since, m.received = now, 0
	}
	if m.received += n; m.received > floodBytes {
		return 0, fmt.Errorf("it sent more than %d MiB within %v", floodBytes>>20, floodTime)
	}
	return n, err
}

// limited is a body of at most maxLine bytes.
type limited struct {
	io.Reader
	io.Closer
}

// newRoundTripper returns the way to web services.
func newRoundTripper() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ResponseHeaderTimeout = 0 // a call may take long; each has a limit
	t.MaxIdleConnsPerHost, t.IdleConnTimeout = 2, 30*time.Second
	t.MaxResponseHeaderBytes = 64 << 10
	return t
}
