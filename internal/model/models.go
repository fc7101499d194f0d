package model

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model/known"
)

const (
	opModels = "model.Models"
	// modelsWait bounds one listing, from dialling to the last byte. The user waits for
	// it before the first prompt.
	modelsWait = 30 * time.Second
	// maxModels bounds a listing, in bytes. OpenRouter's, the largest known, is
	// half a megabyte.
	maxModels = 16 << 20
)

// Models lists what an endpoint offers, in its order. The answer is kept for 5
// minutes per address, credential and headers, a failure for 5 seconds;
// concurrent callers share one request. [Endpoint.Fresh] asks again. It is not retried. The caller must not
// change what the entries point to.
//
// A Copilot Extensions agent is the one model of its endpoint, and is not asked.
//
// Its errors are like those of [Client.Stream].
func (c *Client) Models(ctx context.Context, ep Endpoint) ([]Info, error) {
	d, err := c.dialect(ep.Dialect)
	if err != nil {
		return nil, err
	}
	if err := ep.renew(ctx); err != nil {
		return nil, err
	}
	infos, err := d.Models(ctx, c, &ep)
	if err != nil && ep.anotherKey(ctx, err) {
		return d.Models(ctx, c, &ep)
	}
	return infos, err
}

// list asks for the list of models.
func (x *exchange) list(ctx context.Context) ([]Info, error) {
	x.watch = newWatch(ctx, modelsWait)
	defer x.watch.stop()
	req, err := http.NewRequestWithContext(x.inScene(), http.MethodGet, x.url.String(), nil)
	if err != nil {
		return nil, fault.New(fault.Invalid, opModels, x.on, "%w", err)
	}
	req.Header = x.header.Clone()
	resp, err := x.do(req)
	if err != nil {
		return nil, x.broken("no list of models", err).fault(opModels)
	}
	defer resp.Body.Close()
	infos, failed := x.readInfos(resp)
	if failed != nil {
		return nil, failed.fault(opModels)
	}
	return infos, nil
}

func (x *exchange) readInfos(resp *http.Response) ([]Info, *Error) {
	if resp.StatusCode/100 != 2 {
		return nil, x.refusal(resp)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxModels))
	if err != nil {
		return nil, x.broken(fmt.Sprintf("the list of models was cut after %d bytes", len(data)), err)
	}
	infos, err := x.dialect.Infos(data)
	if err != nil {
		return nil, unreadable(resp, data, x.on)
	}
	return infos, nil
}

// Info describes one model an endpoint offers. Only ID is sure to be there; zero
// elsewhere means the endpoint did not say.
type Info struct {
	ID, Name, Vendor string
	// Vision says whether it reads images.
	Vision bool
	// MaxPrompt, MaxOutput and MaxContext are in tokens; MaxContext bounds the sum of
	// prompt and output.
	MaxPrompt, MaxOutput, MaxContext int
	// ReasoningEfforts are the values that [Request.ReasoningEffort] may have.
	ReasoningEfforts []string
	// Endpoints are the paths at which the model can be called, such as "/responses", and
	// "ws:/responses" for a WebSocket. The Copilot API says them.
	Endpoints []string
	// Price is what the endpoint itself asks; nil if it does not say.
	Price *known.Price
	// Policy and Billing are the endpoint's objects of that name, nil if absent.
	Policy, Billing json.RawMessage
	// Raw is the endpoint's whole entry.
	Raw json.RawMessage
}
