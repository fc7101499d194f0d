package model

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

const (
	opModels = "model.Models"
	// modelsWait bounds one listing, from dialling to the last byte. It stands
	// before a person's first prompt.
	modelsWait = 30 * time.Second
	// maxModels bounds a listing, in bytes. OpenRouter's, the largest known, is
	// half a megabyte.
	maxModels = 16 << 20
)

// Models lists what an endpoint offers, in its order. The answer is kept for 5
// minutes per address, credential and headers, a failure for 5 seconds;
// concurrent callers share one request. It is not retried. The caller must not
// change what the entries point to.
//
// An agent is the one model of its endpoint, and is not asked.
//
// Errors are as those of [Client.Stream].
func (c *Client) Models(ctx context.Context, ep Endpoint) ([]Info, error) {
	if ep.Kind == Extension {
		return []Info{AgentInfo(ep.BaseURL)}, nil
	}
	u, err := ep.at("models")
	if err != nil {
		return nil, fault.New(fault.Invalid, opModels, "", "%w", err)
	}
	header := ep.common()
	overlay(header, ep.Headers)
	if err := checkHeader(header); err != nil {
		return nil, fault.New(fault.Invalid, opModels, public(u), "%w", err)
	}
	infos, err := c.catalog.get(ctx, listingKey(u, header), func() ([]Info, error) {
		return c.list(ctx, u, header)
	})
	if ctx.Err() != nil {
		return nil, ended(ctx, opModels, public(u))
	}
	return slices.Clone(infos), err
}

// list makes the request.
func (c *Client) list(ctx context.Context, u *url.URL, header http.Header) ([]Info, error) {
	x := &exchange{url: u, on: public(u), watch: newWatch(ctx, modelsWait)}
	defer x.watch.stop()
	req, err := http.NewRequestWithContext(x.watch.ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fault.New(fault.Invalid, opModels, x.on, "%w", err)
	}
	req.Header = header
	resp, err := c.http.Do(req)
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
	infos, err := decodeInfos(data)
	if err != nil {
		return nil, unreadable(resp, data, x.on)
	}
	return infos, nil
}
