package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Canvases has the canvases that the attached clients offer, and those that are open. A canvas
// is an area of the user interface that a client draws. That client opens and closes it and
// carries out its actions; the session only routes the calls. Canvases are not in the log, and
// an open canvas closes when its client leaves.
type Canvases struct{ s *Session }

// CanvasesOf returns the canvases of a session.
func CanvasesOf(s *Session) Canvases { return Canvases{s} }

// maxCanvases bounds the canvases that are open in a session.
const maxCanvases = 100

// openCanvas is a canvas that is open, and the client that draws it.
type openCanvas struct {
	wire.OpenCanvas
	by *Client
}

// List returns the canvases of all attached clients.
func (v Canvases) List(ctx context.Context) ([]wire.CanvasFound, error) {
	return mailbox.Ask(ctx, v.s.do, func() ([]wire.CanvasFound, error) { return v.list(), nil })
}

func (v Canvases) list() (list []wire.CanvasFound) {
	for _, c := range v.s.clients {
		for _, d := range c.canvases {
			list = append(list, v.describe(c, d))
		}
	}
	return list
}

func (v Canvases) describe(c *Client, d wire.CanvasDeclared) wire.CanvasFound {
	f := wire.CanvasFound{
		CanvasID: d.ID, DisplayName: d.DisplayName, Description: d.Description, Icon: wire.Optional(d.Icon), Actions: d.Actions,
		ExtensionID: c.draws.ID, ExtensionName: wire.Optional(c.draws.Name),
	}
	if len(d.InputSchema) > 0 {
		f.InputSchema = d.InputSchema
	}
	return f
}

// ListOpen returns the canvases that are open, in the order in which they were opened.
func (v Canvases) ListOpen(ctx context.Context) (list []wire.OpenCanvas, err error) {
	return mailbox.Ask(ctx, v.s.do, func() (list []wire.OpenCanvas, _ error) {
		for _, o := range v.s.config.canvases {
			list = append(list, o.OpenCanvas)
		}
		return list, nil
	})
}

// CanvasOpening names a canvas and the instance of it that is to be opened.
type CanvasOpening struct {
	CanvasID    string          `json:"canvasId"`
	ExtensionID string          `json:"extensionId"` // empty: that of the only client with such a canvas
	InstanceID  string          `json:"instanceId"`
	Input       json.RawMessage `json:"input"`
}

// Open has a client open a canvas. Opening an instance that is open shows it with another
// input. [fault.NotFound] if no client has the canvas, [fault.Conflict] if several have.
func (v Canvases) Open(ctx context.Context, p CanvasOpening) (wire.OpenCanvas, error) {
	if p.InstanceID == "" {
		return wire.OpenCanvas{}, fault.New(fault.Invalid, "session.canvas.open", v.s.id, "instanceId is empty")
	}
	o, err := mailbox.Ask(ctx, v.s.do, func() (openCanvas, error) { return v.find(p) })
	if err != nil {
		return o.OpenCanvas, err
	}
	var answer struct {
		URL    *string `json:"url"`
		Title  *string `json:"title"`
		Status *string `json:"status"`
	}
	if err := v.call(ctx, "canvas.open", o, p.Input, "", &answer); err != nil {
		return o.OpenCanvas, err
	}
	o.URL, o.Title, o.Status = answer.URL, answer.Title, answer.Status
	return o.OpenCanvas, v.s.do(ctx, func() error {
		if !slices.Contains(v.s.clients, o.by) {
			return fault.New(fault.Unavailable, "session.canvas.open", v.s.id, "the client with the canvas %q has left", p.CanvasID)
		}
		if at := v.at(p.InstanceID); at >= 0 {
			v.s.config.canvases[at] = o
		} else {
			v.s.config.canvases = append(v.s.config.canvases, o)
		}
		v.s.log.emit(&wire.CanvasOpened{
			CanvasID: o.CanvasID, ExtensionID: o.ExtensionID, ExtensionName: o.ExtensionName, Icon: o.Icon, Input: o.Input,
			InstanceID: o.InstanceID, Status: o.Status, Title: o.Title, URL: o.URL,
		})
		return nil
	})
}

// find looks for the canvas that is to be opened.
func (v Canvases) find(p CanvasOpening) (o openCanvas, err error) {
	const op = "session.canvas.open"
	for _, c := range v.s.clients {
		for _, d := range c.canvases {
			if d.ID != p.CanvasID || p.ExtensionID != "" && p.ExtensionID != c.draws.ID {
				continue
			}
			if o.by != nil {
				return o, fault.New(fault.Conflict, op, v.s.id, "several clients have a canvas %q; name its extensionId", p.CanvasID)
			}
			f := v.describe(c, d)
			o = openCanvas{by: c, OpenCanvas: wire.OpenCanvas{
				CanvasID: f.CanvasID, ExtensionID: f.ExtensionID, ExtensionName: f.ExtensionName, Icon: f.Icon, InstanceID: p.InstanceID,
			}}
			if len(p.Input) > 0 {
				o.Input = p.Input
			}
		}
	}
	switch at := v.at(p.InstanceID); {
	case o.by == nil:
		return o, fault.New(fault.NotFound, op, v.s.id, "no attached client has a canvas %q", p.CanvasID)
	case at < 0 && len(v.s.config.canvases) >= maxCanvases:
		return o, fault.New(fault.Unavailable, op, v.s.id, "%d canvases are open; close one first", maxCanvases)
	case at >= 0 && (v.s.config.canvases[at].CanvasID != o.CanvasID || v.s.config.canvases[at].by != o.by):
		return o, fault.New(fault.Conflict, op, v.s.id, "the instance %q is open already, of the canvas %q", p.InstanceID, v.s.config.canvases[at].CanvasID)
	}
	return o, nil
}

// at returns the index of the instance in the list of those that are open, -1 if it is none.
func (v Canvases) at(instance string) int {
	return slices.IndexFunc(v.s.config.canvases, func(o openCanvas) bool { return o.InstanceID == instance })
}

// opened returns an instance that is open.
func (v Canvases) opened(ctx context.Context, op, instance string) (openCanvas, error) {
	return mailbox.Ask(ctx, v.s.do, func() (openCanvas, error) {
		if at := v.at(instance); at >= 0 {
			return v.s.config.canvases[at], nil
		}
		return openCanvas{}, fault.New(fault.NotFound, op, v.s.id, "no canvas is open as %q", instance)
	})
}

// Close closes an instance. The session counts it as closed even if the call of its client
// fails.
func (v Canvases) Close(ctx context.Context, instance string) error {
	o, err := v.opened(ctx, "session.canvas.close", instance)
	if err != nil {
		return err
	}
	failed := v.call(ctx, "canvas.close", o, nil, "", nil)
	return errors.Join(failed, v.s.do(ctx, func() error {
		if at := v.at(instance); at >= 0 {
			v.s.config.canvases = slices.Delete(v.s.config.canvases, at, at+1)
			v.s.log.emit(&wire.CanvasClosed{CanvasID: o.CanvasID, ExtensionID: o.ExtensionID, InstanceID: o.InstanceID})
		}
		return nil
	}))
}

// Act has the client of an instance carry out one of its actions, and returns the result.
func (v Canvases) Act(ctx context.Context, instance, action string, input json.RawMessage) (result json.RawMessage, err error) {
	o, err := v.opened(ctx, "session.canvas.action.invoke", instance)
	if err != nil {
		return nil, err
	}
	return result, v.call(ctx, "canvas.action.invoke", o, input, action, &result)
}

// call calls the client of a canvas, and waits for a minute at most.
func (v Canvases) call(ctx context.Context, method string, o openCanvas, input json.RawMessage, action string, result any) error {
	ctx, leave := o.by.present(ctx)
	defer leave()
	ctx, cancel := context.WithTimeout(ctx, clientLimit)
	defer cancel()
	if o.by.peer == nil {
		return fault.New(fault.Unavailable, method, v.s.id, "the client with the canvas %q cannot be called", o.CanvasID)
	}
	return o.by.peer.Call(ctx, method, struct {
		SessionID   string          `json:"sessionId"`
		ExtensionID string          `json:"extensionId"`
		CanvasID    string          `json:"canvasId"`
		InstanceID  string          `json:"instanceId"`
		ActionName  string          `json:"actionName,omitempty"`
		Input       json.RawMessage `json:"input,omitempty"`
	}{v.s.id, o.ExtensionID, o.CanvasID, o.InstanceID, action, input}, result)
}

// joined announces the canvases of a client that has attached.
func (v Canvases) joined(c *Client) {
	if len(c.canvases) > 0 {
		v.announce()
	}
}

// left closes the open canvases of a client that has left, and announces that its canvases are no
// longer offered.
func (v Canvases) left(c *Client) {
	if len(c.canvases) == 0 {
		return
	}
	v.s.config.canvases = slices.DeleteFunc(v.s.config.canvases, func(o openCanvas) bool {
		if o.by == c {
			v.s.log.emit(&wire.CanvasUnavailable{CanvasID: o.CanvasID, ExtensionID: o.ExtensionID, InstanceID: o.InstanceID})
		}
		return o.by == c
	})
	v.announce()
}

func (v Canvases) announce() {
	changed := &wire.CanvasRegistryChanged{}
	for _, f := range v.list() {
		entry := wire.CanvasRegistered{
			CanvasID: f.CanvasID, DisplayName: f.DisplayName, Description: f.Description, ExtensionID: f.ExtensionID, ExtensionName: f.ExtensionName, Icon: f.Icon, InputSchema: f.InputSchema,
		}
		for _, a := range f.Actions {
			entry.Actions = append(entry.Actions, wire.CanvasRegisteredAction(a))
		}
		changed.Canvases = append(changed.Canvases, entry)
	}
	v.s.log.emit(changed)
}

// checkCanvases refuses canvases that could not be told apart.
func checkCanvases(list []wire.CanvasDeclared) error {
	var ids []string
	for _, d := range list {
		switch {
		case d.ID == "":
			return errors.New("a canvas has no id")
		case slices.Contains(ids, d.ID):
			return fmt.Errorf("two canvases have the id %q", d.ID)
		}
		ids = append(ids, d.ID)
	}
	return nil
}

// drawing returns how a client that brings canvases is called.
func drawing(cfg wire.Config) wire.CanvasProvider {
	switch {
	case cfg.CanvasProvider != nil && cfg.CanvasProvider.ID != "":
		return *cfg.CanvasProvider
	case cfg.ExtensionInfo != nil && cfg.ExtensionInfo.Name != "":
		return wire.CanvasProvider{ID: cfg.ExtensionInfo.Source + "/" + cfg.ExtensionInfo.Name, Name: cfg.ExtensionInfo.Name}
	}
	return wire.CanvasProvider{ID: "client", Name: cfg.ClientName}
}
