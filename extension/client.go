package extension

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"time"

	"github.com/sidestick-dev/sidestick/internal/dial"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

// ClientOptions configures [NewClient]. The zero value is right for a person's own
// machine, and agents that do not verify who calls.
type ClientOptions struct {
	// Signer signs every request, in the headers of both names. Default nil: requests
	// are not signed.
	Signer *Signer
	// HTTP sends the requests. Its CheckRedirect is not used. Default a client that
	// keeps no connections and takes the proxy from the environment.
	HTTP *http.Client
	// PublicOnly refuses addresses that are not on the public internet, as they are
	// dialed, for urls that others chose. It takes the place of HTTP's Transport.
	PublicOnly bool
	// Plain allows http, without encryption, to other hosts than this machine.
	Plain bool
	// Idle bounds how long an agent may send nothing, before and during its answer;
	// heartbeats count as something. Default 60 s.
	Idle time.Duration
	// Total bounds the whole call. Default 10 min.
	Total time.Duration
	// Grace is how long the body may stay open after [DONE]; its end then counts as
	// reached. Default 5 s.
	Grace time.Duration
	// MaxLine, MaxEvent and MaxBody are the limits of [ReplyOptions], MaxBody of what is
	// unzipped.
	MaxLine, MaxEvent int
	MaxBody           int64
}

// Client calls agents and skills. It is safe for concurrent use.
type Client struct {
	o    ClientOptions
	http *http.Client
}

// NewClient returns a client. It needs no closing.
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
		c.http.Transport = dial.New(dial.Options{Private: !o.PublicOnly})
	}
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c
}

// Call sends r to the agent at url, and yields its answer as [ReadReply] does. It
// sends r's Token, its Header, the signature, and the body, anew for each range over
// what it returns. To stop ranging closes the connection.
//
// A redirect is followed within the host, three times at most, by the same POST.
//
// The last pair carries the error, if there was one, a [*fault.Error] without the
// url's query and without a secret. Its kind is
//   - [fault.Invalid] for a url or request that cannot be sent, a status that says the
//     same, and an answer that cannot be read, see [ReadReply];
//   - [fault.Denied] for 401 and 403, an address that is refused, http to another
//     machine, and a redirect to another host;
//   - [fault.NotFound] for 404 and 410;
//   - [fault.Unavailable] for other statuses, a connection that fails, an answer that
//     is cut off, and a limit of time;
//   - [fault.Canceled] if ctx was.
//
// A status other than 2xx is a [*StatusError] in it, after the events of the body if
// it has any but confirmations.
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

// events yields what the agent answered.
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
			err = x.statusError(http.NoBody) // which says more than that its body is broken
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

// failure is what a call returns for an error, of whichever part of it.
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
