package model

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

// askAgent makes one call of an agent. It is not tried again: the agent may have
// acted on it.
func (c *Client) askAgent(ctx context.Context, ep Endpoint, req *Request, onDelta func(Delta)) (*Response, error) {
	if err := CheckAgent(ep.BaseURL, ep.PublicOnly); err != nil {
		return nil, err
	}
	body, held, err := agentRequest(ep, req)
	if err != nil {
		return nil, fault.New(fault.Invalid, opStream, publicAddress(ep.BaseURL), "%w", err)
	}
	client, err := c.agentClient(ctx, ep.PublicOnly)
	if err != nil {
		return nil, err
	}
	a := &agentAnswer{started: time.Now(), confirmations: held}
	if req.Stream {
		a.onDelta = onDelta
	}
	for e, err := range client.Call(ctx, ep.BaseURL, body) {
		switch {
		case ctx.Err() != nil:
			return nil, ended(ctx, opStream, publicAddress(ep.BaseURL))
		case err != nil:
			return nil, agentFailure(ep.BaseURL, err, a.beside.Faults)
		}
		a.add(e)
	}
	if ctx.Err() != nil {
		return nil, ended(ctx, opStream, publicAddress(ep.BaseURL))
	}
	return a.response(req.Model)
}

// agentClient is what calls agents. It keeps no connections, and needs no closing.
func (c *Client) agentClient(ctx context.Context, publicOnly bool) (*extension.Client, error) {
	o := extension.ClientOptions{PublicOnly: publicOnly, Idle: c.idle}
	if c.agents != nil {
		o.HTTP = &http.Client{Transport: c.agents}
	}
	if c.signer != nil {
		var err error
		if o.Signer, err = c.signer(ctx); err != nil {
			return nil, err
		}
	}
	return extension.NewClient(o), nil
}

// agentFailure is a failed call as those of other endpoints are; faults are what the
// agent said for itself.
func agentFailure(address string, err error, faults []string) error {
	on := publicAddress(address)
	e := &Error{URL: on, Message: hostOf(address) + ": " + fault.Message(err), cause: err, category: CategoryProtocol}
	f := &fault.Error{Op: opStream, On: on, Kind: fault.KindOf(err), Err: e}
	var status *extension.StatusError
	switch {
	case errors.As(err, &status):
		e.Status, e.category = status.Status, ""
		e.Message, f.Hint = cmp.Or(strings.Join(faults, "; "), status.Body, http.StatusText(status.Status)), hintOf(err)
	case f.Kind == fault.Unavailable:
		e.category = CategoryNetwork
	case f.Kind == fault.Denied:
		e.category = CategoryAuthorization
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

// publicAddress is an address as errors and logs may show it.
func publicAddress(address string) string {
	if u, err := url.Parse(address); err == nil {
		return public(u)
	}
	return ""
}

func hostOf(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return "the agent"
}
