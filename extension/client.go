package extension

import (
	"context"
	"crypto/tls"
	"errors"
	"iter"
	"net/http"
	"time"

	"github.com/sidestick-dev/sidestick/internal/dial"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

// ClientOptions configures [NewClient]. The zero value is right for agents on the local
// machine that do not verify signatures.
type ClientOptions struct {
	// Signer signs every request; the signature is sent with both sets of header names.
	// Default nil: requests are not signed.
	Signer *Signer
	// HTTP sends the requests. Its CheckRedirect is not used. Default: a client that keeps
	// no idle connections and takes the proxy from the environment.
	HTTP *http.Client
	// PublicOnly refuses addresses outside the public internet when they are dialed. Set it
	// for URLs that others chose. It replaces the Transport of HTTP.
	PublicOnly bool
	// TLS has the certificates for encrypted connections, where the Transport is not that of
	// HTTP. Default: those of the system.
	TLS *tls.Config
	// Plain allows unencrypted http to other machines. http to this machine is always
	// allowed.
	Plain bool
	// Idle bounds the time in which an agent sends nothing, before and during its answer.
	// Heartbeats count as sent data. Default 60 s.
	Idle time.Duration
	// Total bounds the time of the whole call. Default 10 minutes.
	Total time.Duration
	// Grace bounds the time that the body may stay open after [DONE]; then the answer counts
	// as complete. Default 5 s.
	Grace time.Duration
	// MaxLine, MaxEvent and MaxBody are the limits of [ReplyOptions]. MaxBody counts bytes
	// after decompression.
	MaxLine, MaxEvent int
	MaxBody           int64
}

// Client calls agents and skills. It is safe for concurrent use.
type Client struct {
	o    ClientOptions
	http *http.Client
}

// NewClient returns a client. It does not have to be closed.
func NewClient(o ClientOptions) *Client {
	for d, usual := range map[*time.Duration]time.Duration{&o.Idle: time.Minute, &o.Total: 10 * time.Minute, &o.Grace: 5 * time.Second} {
		if *d <= 0 {
			*d = usual
		}
	}
	o.MaxBody = ReplyOptions{MaxBody: o.MaxBody}.filled().MaxBody
	c := &Client{o: o, http: &http.Client{}}
	if o.HTTP != nil {
		*c.http = *o.HTTP
	}
	if o.PublicOnly || o.HTTP == nil {
		c.http.Transport = dial.New(dial.Options{Private: !o.PublicOnly, TLS: o.TLS})
	}
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c
}

// Call sends r to the agent at url and yields its answer as [ReadReply] does. It sends the
// Token and Header of r, the signature and the body; each loop over the result sends the
// request again. Leaving the loop closes the connection.
//
// A redirect within the host is followed, at most three times, with the same POST.
//
// If the call fails, the last pair carries the error, without the query of the URL and
// without secrets. Its kind is
//   - [ErrInvalid] for a URL or request that cannot be sent, for a 4xx status that is
//     not listed below, and for an answer that cannot be read, see [ReadReply];
//   - [ErrDenied] for 401 and 403, an address that is refused, http to another
//     machine, and a redirect to another host;
//   - [ErrNotFound] for 404 and 410;
//   - [ErrUnavailable] for other statuses, a failed connection, an answer that is cut
//     off, and a time limit;
//   - [ErrCanceled] if ctx was canceled.
//
// A status other than 2xx is wrapped as a [*StatusError]. It comes after the events of the
// body, if there are any; confirmations in such a body are dropped.
func (c *Client) Call(ctx context.Context, url string, r *Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		x := c.newExchange(ctx, "extension.Call", url)
		defer x.close()
		body, err := r.MarshalJSON()
		if err == nil {
			err = x.post(body, r.Header, r.Token)
		}
		if err != nil {
			yield(Event{}, x.failure(err))
			return
		}
		x.events(yield)
	}
}

// events yields the agent's answer.
func (x *exchange) events(yield func(Event, error) bool) {
	p := newReply(x, ReplyOptions{MaxLine: x.c.o.MaxLine, MaxEvent: x.c.o.MaxEvent, MaxBody: x.c.o.MaxBody})
	p.settled = x.settle
	refused := x.refused()
	if refused && formOf(p.in) != formStream {
		yield(Event{}, x.failure(x.statusError(p.in)))
		return
	}
	for e, err := range p.all {
		if err != nil && refused && context.Cause(x.ctx) == nil {
			err = x.statusError(http.NoBody) // more useful than the error of the broken body
		}
		if err != nil {
			err = x.failure(err)
		}
		if refused && e.Kind == EventConfirmation {
			continue
		}
		if !yield(e, err) || err != nil {
			return
		}
	}
	if refused {
		yield(Event{}, x.failure(x.statusError(http.NoBody)))
	}
}

// failure converts any error of a call into the one that is returned.
func (x *exchange) failure(err error) error {
	f := &fault.Error{Op: x.op, On: x.on, Kind: fault.KindOf(err), Err: err}
	var inner *fault.Error
	if errors.As(err, &inner) {
		f.Hint, f.Err = inner.Hint, inner.Err
	}
	if cause := context.Cause(x.ctx); cause != nil && f.Kind != fault.Invalid {
		f.Kind, f.Err = fault.KindOf(cause), cause
	}
	return f
}
