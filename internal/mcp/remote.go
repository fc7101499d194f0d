package mcp

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// remote sends the requests to a server that is a web service. It implements
// [http.RoundTripper].
type remote struct {
	to      *url.URL
	headers map[string]string
	base    http.RoundTripper
	// refused is set once the server has answered that it wants the client to authenticate.
	refused atomic.Bool
}

// retries is how often a stream of events that ends is opened again.
const retries = 3

// dialRemote returns the connection to a web service.
func dialRemote(c *config, base http.RoundTripper) (sdk.Transport, *remote, error) {
	to, err := url.Parse(c.url)
	if err != nil {
		return nil, nil, unavailable("the address cannot be read: %w", err)
	}
	r := &remote{to: to, headers: c.headers, base: base}
	client := &http.Client{Transport: r}
	if c.transport == transportSSE {
		return &sdk.SSEClientTransport{Endpoint: c.url, HTTPClient: client}, r, nil
	}
	return &sdk.StreamableClientTransport{Endpoint: c.url, HTTPClient: client, MaxRetries: retries}, r, nil
}

// RoundTrip implements [http.RoundTripper]. The configured headers, which may hold keys, go
// only to the configured host.
func (r *remote) RoundTrip(q *http.Request) (*http.Response, error) {
	q = q.Clone(q.Context())
	if q.URL.Scheme == r.to.Scheme && strings.EqualFold(q.URL.Host, r.to.Host) {
		for name, value := range r.headers {
			q.Header.Set(name, value)
		}
	}
	answer, err := r.base.RoundTrip(q)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode == http.StatusUnauthorized {
		r.refused.Store(true)
	}
	if !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream") { // whose events the SDK bounds
		answer.Body = limited{io.LimitReader(answer.Body, maxLine), answer.Body}
	}
	return answer, nil
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
