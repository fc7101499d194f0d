package model

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sidestick-dev/sidestick/internal/obs"
)

// Options configures [New]. The zero value is right for production.
type Options struct {
	// Transport carries the requests. Default: one with keep-alive for thousands
	// of sessions, the proxy that the environment names, and bounds on reaching a
	// server (15 s to connect, 15 s for TLS) but not on its thinking.
	Transport http.RoundTripper
	// TLS returns the certificates for encrypted connections of the default Transport, always the
	// same ones, which must not be changed; nil is those of the system. It is called before the
	// first such connection, and may be called by several goroutines.
	TLS func() *tls.Config
	// Around, if set, is put around every transport that carries requests, also those of
	// endpoints. It is called for each request.
	Around func(http.RoundTripper) http.RoundTripper
	// Logger gets a warning for each retry of a request without [Request.OnRetry].
	// Default [slog.Default].
	Logger *slog.Logger
	// Secrets knows the secrets of the process, which no error of a call repeats, whatever
	// the server sent. The credentials of an endpoint need not be in it. Default: none.
	Secrets *obs.Redactor
	// Idle is the longest silence that is accepted: until an answer begins, between
	// two events of a stream (comments and pings do not count), and between two reads of a
	// whole answer. Default: 60 minutes for a server on this machine, and 5 minutes for others,
	// because models think. [Endpoint.Silence] comes before it.
	Idle time.Duration
	// Retry says how often and how patiently to try again. A Copilot Extensions agent is
	// called once, because it may have acted.
	Retry Retry
	// StopRepeating ends an answer that repeats itself ([FinishRepetition]) as soon as package repetition notices it.
	// Answers of Copilot Extensions agents are not watched.
	StopRepeating bool
	// OnRetry, if set, is called before each wait, on the goroutine of the call, with the
	// number of the attempt that follows (from 2), the length of the wait, for how long the
	// call is tried again after it, and the failure. It must not block.
	OnRetry func(next int, wait, left time.Duration, err error)
}

// Client calls models. One serves any number of sessions and endpoints and
// shares its connections among them. Safe for concurrent use.
type Client struct {
	dialects  []Dialect // the first is the usual one
	http      http.Client
	transport http.RoundTripper                     // [Options.Transport]
	tls       func() *tls.Config                    // [Options.TLS]
	proxy     func(*http.Request) (*url.URL, error) // nil: not known
	around    func(http.RoundTripper) http.RoundTripper
	log       *slog.Logger
	idle      time.Duration
	retry     Retry
	watched   bool // [Options.StopRepeating]
	onRetry   func(next int, wait, left time.Duration, err error)
	listings  listings
	sockets   sockets
	// remembered is what failed calls have taught about endpoints.
	remembered remembered
	secrets    *obs.Redactor // [Options.Secrets]
	flights    flights
	llamas     llamas
}

// New returns a Client that speaks the given dialects, at least one. An endpoint that
// names none is called in the first. Close it when its calls have returned.
func New(o Options, usual Dialect, others ...Dialect) *Client {
	c := &Client{
		dialects: append([]Dialect{usual}, others...), transport: o.Transport, around: o.Around,
		tls: o.TLS, log: o.Logger, idle: o.Idle, retry: o.Retry.orDefault(), onRetry: o.OnRetry, secrets: o.Secrets, watched: o.StopRepeating,
	}
	c.http.Transport = o.Transport
	c.http.CheckRedirect = noRedirects
	if o.Transport == nil {
		c.http.Transport, c.proxy = newTransports(o.TLS), http.ProxyFromEnvironment
	}
	c.sockets.http = c.http
	if c.log == nil {
		c.log = slog.Default()
	}
	return c
}

// Close closes connections that are not in use. It does not end calls; their
// contexts do.
func (c *Client) Close() {
	c.sockets.close()
	c.http.CloseIdleConnections()
}

// do sends a request by the transport of an endpoint, or else by the client's.
func (c *Client) do(via Transport, req *http.Request) (*http.Response, error) {
	resp, err := c.send(via, req)
	if err == nil {
		c.llamas.note(req.URL.Host, resp.Header)
	}
	return resp, err
}

func (c *Client) send(via Transport, req *http.Request) (*http.Response, error) {
	switch {
	case via == nil && (req.URL.Scheme == "ws" || req.URL.Scheme == "wss"):
		return c.Around(&c.sockets).RoundTrip(req)
	case via == nil && c.around == nil:
		return c.http.Do(req)
	}
	carrying := c.http.Transport
	if via != nil {
		carrying = via
	}
	alone := http.Client{Transport: c.Around(carrying), CheckRedirect: noRedirects}
	return alone.Do(req)
}

// dialect finds a dialect by its name.
func (c *Client) dialect(name string) (Dialect, error) {
	if name == "" {
		return c.dialects[0], nil
	}
	for _, d := range c.dialects {
		if d.Name() == name {
			return d, nil
		}
	}
	return nil, invalid(opStream, "", "this program does not speak the dialect %q", name)
}

// noRedirects refuses redirects: a conversation must not be sent to an address that is not
// configured.
func noRedirects(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// transports are one transport for plain and one for encrypted connections, which is made when it
// is first needed: it takes time to read the certificates of a system. Safe for concurrent use.
type transports struct {
	plain     *http.Transport
	encrypted func() *http.Transport
	made      atomic.Pointer[http.Transport] // what encrypted has returned
}

// newTransports returns one transport for both, if there are no certificates to be read.
func newTransports(certificates func() *tls.Config) http.RoundTripper {
	if certificates == nil {
		return newTransport(nil)
	}
	t := &transports{plain: newTransport(nil)}
	t.encrypted = sync.OnceValue(func() *http.Transport {
		made := newTransport(certificates())
		t.made.Store(made)
		return made
	})
	return t
}

// RoundTrip implements [http.RoundTripper]. The connection to a proxy may be encrypted, too.
func (t *transports) RoundTrip(req *http.Request) (*http.Response, error) {
	if proxy, err := t.plain.Proxy(req); req.URL.Scheme == "http" && proxy == nil && err == nil {
		return t.plain.RoundTrip(req)
	}
	return t.encrypted().RoundTrip(req)
}

// CloseIdleConnections closes the connections that are not in use.
func (t *transports) CloseIdleConnections() {
	t.plain.CloseIdleConnections()
	if made := t.made.Load(); made != nil {
		made.CloseIdleConnections()
	}
}

// newTransport returns a transport for thousands of concurrent calls to a few
// hosts. It bounds reaching a server; [Options.Idle] bounds the wait for its answer, which
// lasts as long as the model thinks. Answers are not compressed, because compressors delay
// the events of a stream.
func newTransport(certificates *tls.Config) *http.Transport {
	dialer := &net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         atMost(maxDials, withBodies(dialer.DialContext)),
		TLSClientConfig:     certificates,
		ForceAttemptHTTP2:   true,
		TLSHandshakeTimeout: 15 * time.Second,
		MaxIdleConnsPerHost: 4096, // one a session; fewer would dial anew each turn
		IdleConnTimeout:     90 * time.Second,
		DisableCompression:  true,

		OnProxyConnectResponse: refusedByProxy,
		// A ping finds a dead connection within a minute, long before the idle limit of
		// the calls that share it.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
	}
}

// maxDials is how many connections are opened at a time. A server accepts them
// from a queue (128 to 4,096 long on most systems). TCP tries connections that do not fit
// into it again after 1, 3, 7 and 15 seconds, which looks like a hang.
const maxDials = 64

type dial = func(ctx context.Context, network, address string) (net.Conn, error)

// atMost lets at most n calls of d run at a time. Other calls wait, until their contexts
// end.
func atMost(n int, d dial) dial {
	slots := make(chan struct{}, n)
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
			return d(ctx, network, address)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
