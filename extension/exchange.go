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

// maxRedirects bounds the hops within a host, of which one is usual: to the same path
// with a slash.
const maxRedirects = 3

// errSilent ends an exchange whose other side sends nothing.
var errSilent = errors.New("the agent was silent for too long")

// exchange is one request and its answer. It is a reader of the answer's body that
// watches the time: how long a read takes, and how long the body stays open once all
// was said.
type exchange struct {
	c       *Client
	op, on  string
	url     string
	secrets []string // what was sent and must not be seen

	ctx   context.Context
	stop  context.CancelFunc
	timer *time.Timer // ends ctx when it fires
	resp  *http.Response
	due   time.Time // when the body counts as read; zero before [DONE]
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

// close ends the exchange, and with it the connection.
func (x *exchange) close() {
	x.timer.Stop()
	x.stop()
	if x.resp != nil {
		_ = x.resp.Body.Close() // nothing more is wanted of it
	}
}

// Read reads of the body.
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

// settle is told when all seems to be said, and when there is more after all.
func (x *exchange) settle(done bool) {
	x.due = time.Time{}
	if done {
		x.due = time.Now().Add(x.c.o.Grace)
	}
}

// post sends body, and has the response's head when it returns.
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
		_ = resp.Body.Close() // it says nothing
		if err != nil {
			return err
		}
		to = next
	}
	return fault.New(fault.Unavailable, "", "", "it redirects more than %d times", maxRedirects)
}

// header returns the headers of a request: those of the caller, then ours.
func (x *exchange) header(body []byte, from http.Header, token string) (http.Header, error) {
	h := from.Clone()
	if h == nil {
		h = http.Header{}
	}
	// A compressed answer is the transport's affair, which then also unzips it; who
	// signs and whose token it is are ours.
	for _, name := range []string{"Accept-Encoding", "Content-Length", "Connection", headerToken, headerID, headerSignature, "X-" + headerID, "X-" + headerSignature} {
		h.Del(name)
	}
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json") // as the platform, though it is a stream that comes
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

// The headers of the platform. Of the last two there is a pair with X- before, since
// 2025; older agents look for these.
const (
	headerToken     = "X-GitHub-Token"
	headerID        = "GitHub-Public-Key-Identifier"
	headerSignature = "GitHub-Public-Key-Signature"
)

// allow refuses addresses that no request should go to.
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

// redirect returns where an answer leads, nil if it stays.
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

// unreachable is the error of a request that got no answer. [url.Error] is left out,
// since it shows the whole address.
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
