package model

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Protocol is what tells one dialect over HTTP from another: POST of a JSON request,
// answered by a stream of events or by one JSON document. All fields are required but
// CallHeader, Sign, Framing, Errors, Binding, Params, Nested and Members. The functions are called by several goroutines at once.
type Protocol struct {
	// Address is where a call goes; it may depend on the model and on whether it
	// streams. [Endpoint.At] joins a path to the base URL.
	Address func(ep *Endpoint, r *Request) (*url.URL, error)
	// ListAddress is where the list of models is.
	ListAddress func(ep *Endpoint) (*url.URL, error)
	// Header adds the endpoint's credential and the headers that every request of the
	// dialect has. Those of the Copilot API, of the endpoint and of the request are
	// added afterwards.
	Header func(h http.Header, ep *Endpoint)
	// CallHeader adds the headers that depend on the call.
	CallHeader func(h http.Header, ep *Endpoint, r *Request)
	// Sign, if set, adds a signature to a request that is complete. It is called for every
	// attempt; body is nil for a list of models.
	Sign func(req *http.Request, body *Body, ep *Endpoint)
	// Framing, if set, is how streams are framed that are not server-sent events.
	Framing *Framing
	// Encode appends the body of a call to [Body.Own], but for the tools, which [Body.AppendTools] has,
	// and returns what it has appended.
	Encode func(ep *Endpoint, r *Request, body *Body) ([]byte, error)
	// Params returns the names of the sampling parameters at an endpoint. Nested means that Encode
	// writes those that are set, within another member; otherwise they are added at the end of the body.
	Params func(ep *Endpoint) *ParamNames
	Nested bool
	// Members are the members that Encode writes at the top of a body, which [Params.Extra] cannot have.
	Members []string
	// Decoder returns what reads the answer to a call. It calls emit for each piece, unless
	// emit is nil, and leaves [Delta.Bytes] to the caller.
	Decoder func(ep *Endpoint, r *Request, emit func(Delta)) Decoder
	// Infos reads a list of models.
	Infos func(data []byte) ([]Info, error)
	// Errors are the rows by which this dialect classifies failures, before the common
	// ones.
	Errors ErrorTable
	// Binding is what the reasoning of answers is bound to.
	Binding Binding
}

// Decoder reads one answer. One goroutine uses it.
//
// Its errors are an [*Error] where the provider reports one, as [ReportedError] makes
// it; any other error means that the answer breaks the protocol.
type Decoder interface {
	// Event takes one server-sent event that has data, which is valid until it returns.
	// done means that the answer is complete.
	Event(name string, data []byte) (done bool, err error)
	// Complete reports whether the body may end here.
	Complete() bool
	// Whole takes an answer that is one JSON document. It returns [ErrNoAnswer] for a
	// document of another kind.
	Whole(data []byte) error
	// Response returns the answer, nil if none has begun. It is called once, last.
	Response() *Response
}

// stoppable is a [Decoder] that understands an answer in another way if this program has stopped it.
type stoppable interface {
	// Stopped is called before Response.
	Stopped()
}

// HTTP returns the dialect of that name.
func HTTP(name string, p Protocol) Dialect { return &overHTTP{name: name, Protocol: p} }

type overHTTP struct {
	name string
	Protocol
}

// Name returns the name that the dialect was made with.
func (d *overHTTP) Name() string { return d.name }

// Prepare encodes a call.
func (d *overHTTP) Prepare(_ context.Context, c *Client, ep *Endpoint, r *Request) (Call, error) {
	u, err := d.Address(ep, r)
	if err != nil {
		return nil, invalid(opStream, "", "%w", err)
	}
	if err := ep.handOver(r); err != nil {
		return nil, err
	}
	on := public(u)
	if ep.WebSocket {
		u.Scheme = "ws" + strings.TrimPrefix(u.Scheme, "http")
	}
	if r.ModelAt(ep) == "" {
		return nil, invalid(opStream, on, "no model named")
	}
	if err := ep.Params.check(d.name, r.ModelAt(ep), d.params(ep), d.Members); err != nil {
		return nil, err
	}
	body := newBody(r)
	own, err := d.Encode(ep, r, body)
	if err != nil {
		return nil, invalid(opStream, on, "encode request: %w", err)
	}
	body.finish(ep.Params.body(own, d.params(ep), d.Nested))
	x := &exchange{client: c, dialect: d, ep: ep, request: r, url: u, on: on, header: d.header(ep, r), body: body, scene: &Scene{ep, r}}
	x.header.Set("Content-Type", "application/json")
	if err := CheckHeader(x.header); err != nil {
		return nil, invalid(opStream, on, "%w", err)
	}
	return x, nil
}

// params are the names of the sampling parameters.
func (d *overHTTP) params(ep *Endpoint) *ParamNames {
	if d.Params == nil {
		return &ParamNames{}
	}
	return d.Params(ep)
}

// header returns the headers of one call, or of a listing if r is nil.
func (d *overHTTP) header(ep *Endpoint, r *Request) http.Header {
	h := ep.header()
	d.Header(h, ep)
	if r != nil && d.CallHeader != nil {
		d.CallHeader(h, ep, r)
	}
	if ep.Copilot {
		copilotHeaders(h, ep, r)
	}
	Overlay(h, ep.Headers)
	if r != nil {
		Overlay(h, r.Headers)
	}
	return h
}

// Header returns the headers that a call of an endpoint has, its credential included. Only
// dialects over HTTP have them; others return [fault.Invalid].
func (c *Client) Header(ctx context.Context, ep Endpoint, r *Request) (http.Header, error) {
	d, err := c.dialect(ep.Dialect)
	if err != nil {
		return nil, err
	}
	over, ok := d.(*overHTTP)
	if !ok {
		return nil, invalid(opStream, PublicAddress(ep.BaseURL), "the dialect %q is not plain HTTP", d.Name())
	}
	if err := ep.renew(ctx); err != nil {
		return nil, err
	}
	return over.header(&ep, r), nil
}

// Models asks the endpoint, unless the client knows the list.
func (d *overHTTP) Models(ctx context.Context, c *Client, ep *Endpoint) ([]Info, error) {
	u, err := d.ListAddress(ep)
	if err != nil {
		return nil, invalid(opModels, "", "%w", err)
	}
	if err := ep.handOver(nil); err != nil {
		return nil, err
	}
	header := d.header(ep, nil)
	if err := CheckHeader(header); err != nil {
		return nil, invalid(opModels, public(u), "%w", err)
	}
	x := &exchange{client: c, dialect: d, ep: ep, url: u, on: public(u), header: header, scene: &Scene{Endpoint: ep}}
	key := listingKey(u, header, ep)
	if ep.Fresh {
		c.listings.forget(key)
	}
	infos, err := c.listings.get(ctx, key, func() ([]Info, error) {
		infos, err := x.list(ctx)
		secrets := c.secretsOf(ep, nil)
		return withoutSecrets(infos, secrets), redacted(err, secrets)
	})
	if ctx.Err() != nil {
		return nil, ended(ctx, opModels, x.on)
	}
	return slices.Clone(infos), err
}

func invalid(op, on, format string, args ...any) error {
	return fault.New(fault.Invalid, op, on, format, args...)
}
