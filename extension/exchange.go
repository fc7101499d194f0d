package extension

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/dial"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

// maxRedirects bounds the redirects within a host. One is usual: to the same path with a
// slash at its end.
const maxRedirects = 3

// errSilent ends an exchange in which the agent sends nothing for too long.
var errSilent = errors.New("the agent was silent for too long")

// exchange is one request and its response. As a reader of the response's body it enforces
// time limits: for each read, and for how long the body stays open after [DONE].
type exchange struct {
	c       *Client
	op, on  string
	url     string
	secrets []string // values that must not appear in errors

	ctx   context.Context
	stop  context.CancelFunc
	timer *time.Timer // ends ctx when it fires
	resp  *http.Response
	due   time.Time // when the body counts as read to its end; zero before [DONE]
}

func (c *Client) newExchange(ctx context.Context, op, url string) *exchange {
	x := &exchange{c: c, op: op, url: url}
	over := fault.New(fault.Unavailable, "", "", "the answer took longer than %v", c.o.Total)
	ctx, stop := context.WithTimeoutCause(ctx, c.o.Total, over)
	ctx, cancel := context.WithCancelCause(ctx)
	x.ctx, x.stop = ctx, stop
	silent := fault.New(fault.Unavailable, "", "", "%w, %v", errSilent, c.o.Idle)
	x.timer = time.AfterFunc(c.o.Idle, func() { cancel(silent) })
	return x
}

// close ends the exchange and closes the connection.
func (x *exchange) close() {
	x.timer.Stop()
	x.stop()
	if x.resp != nil {
		_ = x.resp.Body.Close() // the rest of the body is not needed
	}
}

// Read implements [io.Reader] for the body.
func (x *exchange) Read(p []byte) (int, error) {
	wait := x.c.o.Idle
	if !x.due.IsZero() {
		if wait = time.Until(x.due); wait <= 0 {
			return 0, io.EOF
		}
	}
	x.timer.Reset(wait)
	n, err := x.resp.Body.Read(p)
	x.timer.Stop()
	cause := context.Cause(x.ctx)
	switch {
	case err == nil || err == io.EOF:
		return n, err
	case errors.Is(cause, errSilent) && !x.due.IsZero():
		return n, io.EOF
	case cause != nil:
		return n, cause
	}
	return n, fault.New(fault.Unavailable, "", "", "the answer was cut off: %w", err)
}

// settle starts the grace period after [DONE], and stops it if the answer continues.
func (x *exchange) settle(done bool) {
	x.due = time.Time{}
	if done {
		x.due = time.Now().Add(x.c.o.Grace)
	}
}

// post sends the request, and returns when the head of the response has arrived.
func (x *exchange) post(body []byte, header http.Header, token string) error {
	to, err := url.Parse(x.url)
	if err != nil {
		return fault.New(fault.Invalid, "", "", "the address cannot be read")
	}
	x.on = (&url.URL{Scheme: to.Scheme, Host: to.Host, Path: to.Path}).String()
	h, err := x.header(body, header, token)
	if err != nil {
		return err
	}
	for range maxRedirects + 1 {
		if err := x.allow(to); err != nil {
			return err
		}
		req, err := http.NewRequestWithContext(x.ctx, http.MethodPost, to.String(), bytes.NewReader(body))
		if err != nil {
			return fault.New(fault.Invalid, "", "", "the address cannot be called")
		}
		req.Header = h.Clone()
		x.timer.Reset(x.c.o.Idle)
		resp, err := x.c.http.Do(req)
		x.timer.Stop()
		if err != nil {
			return unreachable(err)
		}
		next, err := redirect(resp, to)
		if next == nil && err == nil {
			x.resp = resp
			return nil
		}
		_ = resp.Body.Close() // a redirect's body has no information
		if err != nil {
			return err
		}
		to = next
	}
	return fault.New(fault.Unavailable, "", "", "it redirects more than %d times", maxRedirects)
}

// header returns the headers of the request: first the caller's, then those of this package.
func (x *exchange) header(body []byte, from http.Header, token string) (http.Header, error) {
	h := from.Clone()
	if h == nil {
		h = http.Header{}
	}
	// Leave compression to the transport. Signature and token headers are set here.
	for _, name := range []string{"Accept-Encoding", "Content-Length", "Connection", headerToken, headerID, headerSignature, "X-" + headerID, "X-" + headerSignature} {
		h.Del(name)
	}
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json") // the platform sends this, although it expects a stream
	if h.Get("User-Agent") == "" {
		h.Set("User-Agent", "Sidestick (+https://github.com/sidestick-dev/sidestick)")
	}
	for _, value := range h.Values("Authorization") {
		scheme, credentials, _ := strings.Cut(value, " ")
		x.secrets = append(x.secrets, cmp.Or(strings.TrimSpace(credentials), scheme))
	}
	if token != "" {
		h.Set(headerToken, token)
		x.secrets = append(x.secrets, token)
	}
	if x.c.o.Signer == nil {
		return h, nil
	}
	id, signature, err := x.c.o.Signer.Sign(body)
	if err != nil {
		return nil, err
	}
	x.secrets = append(x.secrets, signature)
	for _, prefix := range []string{"", "X-"} {
		h.Set(prefix+headerID, id)
		h.Set(prefix+headerSignature, signature)
	}
	return h, nil
}

// The headers of the platform. Since 2025 the last two are also sent with X- before their
// names; older agents read only the names without it.
const (
	headerToken     = "X-GitHub-Token"
	headerID        = "GitHub-Public-Key-Identifier"
	headerSignature = "GitHub-Public-Key-Signature"
)

// allow refuses addresses that requests must not be sent to.
func (x *exchange) allow(to *url.URL) error {
	switch {
	case to.Hostname() == "" || to.Scheme != "https" && to.Scheme != "http":
		return fault.New(fault.Invalid, "", "", "an agent's address begins with https:// and a host")
	case to.Scheme == "http" && !x.c.o.Plain && !isLoopback(to.Hostname()):
		return fault.New(fault.Denied, "", "", "without encryption, only agents on this machine are called; use https")
	}
	return nil
}

func isLoopback(host string) bool {
	at, err := netip.ParseAddr(host)
	return err == nil && at.IsLoopback() || strings.EqualFold(host, "localhost")
}

// redirect returns the target of a redirect, nil if the response is not one.
func redirect(resp *http.Response, from *url.URL) (*url.URL, error) {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, nil
	}
	to, err := resp.Location()
	switch {
	case err != nil:
		return nil, fault.New(fault.Unavailable, "", "", "it redirects without saying where")
	case !dial.SameHost(from, to):
		return nil, fault.New(fault.Denied, "", "", "it redirects to another host, %s, which is not followed", shown([]byte(to.Host)))
	case from.Scheme == "https" && to.Scheme != "https":
		return nil, fault.New(fault.Denied, "", "", "it redirects to http, which is not followed")
	}
	return to, nil
}

// unreachable returns the error of a request that got no response. It unwraps [url.Error],
// whose text contains the whole URL.
func unreachable(err error) error {
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	var private dial.PrivateError
	if errors.As(err, &private) {
		return &fault.Error{Kind: fault.Denied, Err: private}
	}
	return &fault.Error{Kind: fault.Unavailable, Err: err}
}
