package extensions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/dial"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
)

// op names the operation in errors.
const op = "model.Stream"

// call is one call of an agent. It is not tried again: the agent may have acted on it.
type call struct {
	client  *extension.Client
	address string
	model   string
	request *extension.Request

	endpoint *model.Endpoint
	asked    *model.Request
	held     []Confirmation // that are to be asked after the one decided
}

// Prepare checks the address and encodes the conversation.
func (d *dialect) Prepare(ctx context.Context, c *model.Client, ep *model.Endpoint, r *model.Request) (model.Call, error) {
	if err := CheckAddress(ep.BaseURL, ep.PublicOnly); err != nil {
		return nil, err
	}
	request, held, err := conversation(ep, r)
	if err != nil {
		return nil, err
	}
	client, err := d.client(ctx, c, ep.PublicOnly)
	if err != nil {
		return nil, err
	}
	return &call{client: client, address: ep.BaseURL, model: r.Model, request: request, held: held, endpoint: ep, asked: r}, nil
}

// client returns what calls agents. It keeps no connections, and needs no closing.
func (d *dialect) client(ctx context.Context, c *model.Client, publicOnly bool) (*extension.Client, error) {
	o := extension.ClientOptions{PublicOnly: publicOnly, Idle: c.Idle(), TLS: c.TLS()}
	if t := c.Transport(); t != nil {
		o.HTTP = &http.Client{Transport: t}
	}
	if c.Recorded() {
		carrying := c.Transport()
		if carrying == nil || publicOnly {
			carrying = dial.New(dial.Options{Private: !publicOnly})
		}
		o.HTTP, o.PublicOnly = &http.Client{Transport: c.Around(carrying)}, false // which the transport sees to
	}
	if d.signer != nil {
		var err error
		if o.Signer, err = d.signer(ctx); err != nil {
			return nil, err
		}
	}
	return extension.NewClient(o), nil
}

// Address returns the agent's address without user and query.
func (c *call) Address() string { return model.PublicAddress(c.address) }

// Close does nothing: a call keeps nothing.
func (c *call) Close() {}

// Try makes the call. It fails if the answer has errors of the agent and nothing else.
func (c *call) Try(ctx context.Context, onDelta func(model.Delta)) (*model.Response, error) {
	a := &answer{onDelta: onDelta, started: time.Now(), confirmations: c.held}
	for e, err := range c.client.Call(model.WithScene(ctx, c.endpoint, c.asked), c.address, c.request) {
		if err != nil {
			return nil, c.failure(err, a.parts.Faults)
		}
		a.add(e)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if faults := a.parts.Faults; len(faults) > 0 && a.text.Len() == 0 && a.references == nil && a.confirmations == nil {
		e := &model.Error{URL: c.Address(), Message: hostOf(c.address) + ": " + allOf(faults), Category: model.CategoryProtocol}
		return nil, &fault.Error{Op: op, On: e.URL, Kind: fault.Unavailable, Err: e}
	}
	return a.response(c.model)
}

// allOf joins the errors of an agent. Of very many it has the first.
func allOf(faults []string) string {
	const most = 20 // nobody reads more of them in one message
	text := strings.Join(faults[:min(len(faults), most)], "; ")
	if more := len(faults) - most; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// failure is a failed call as those of other endpoints are; faults are the errors that
// the agent reported.
func (c *call) failure(err error, faults []string) error {
	e := &model.Error{URL: c.Address(), Message: hostOf(c.address) + ": " + fault.Message(err), Cause: err, Category: model.CategoryProtocol}
	f := &fault.Error{Op: op, On: e.URL, Kind: fault.KindOf(err), Err: e}
	var status *extension.StatusError
	switch {
	case errors.As(err, &status):
		e.Status = status.Status
		e.Message, f.Hint = cmp.Or(allOf(faults), status.Body, http.StatusText(status.Status)), hintOf(err)
		model.ErrorTable(nil).Classify(e)
		e.Retryable = false
	case f.Kind == fault.Unavailable:
		e.Category = model.CategoryNetwork
	case f.Kind == fault.Denied:
		e.Category = model.CategoryAuthorization
	}
	return f
}

func hintOf(err error) string {
	var inner *fault.Error
	if errors.As(err, &inner) {
		return inner.Hint
	}
	return ""
}

func hostOf(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return "the agent"
}
