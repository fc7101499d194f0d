// Package canvas has the canvases of a session: areas of the user interface that clients draw.
// The client of a canvas opens and closes it and carries out its actions; the session only
// routes the calls.
//
// Begin with [New]. The session reports with [Canvases.Join] which canvases a client brings,
// and with [Canvases.Left] that it is gone; the other methods are the commands of clients.
//
// # What always holds
//
//   - Canvases are not in the log: all their events are ephemeral.
//   - An open canvas closes when its client leaves.
package canvas

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Canvases are the canvases that the attached clients of a session bring, and those that are
// open. The methods that take a context are safe for concurrent use and are not called on the
// session's goroutine; they return as [mailbox.Goroutine] describes.
type Canvases struct {
	session state.Recorder
	id      string // of the session

	// The rest belongs to the session's goroutine.
	brought []bringing // in the order in which the clients came
	open    []openCanvas
}

// New returns the canvases of a session, of which there are none yet.
func New(session state.Recorder, id string) *Canvases { return &Canvases{session: session, id: id} }

// Client is a client that brings canvases. Two values of the same client are equal.
type Client interface {
	// Call calls a method of the client and decodes its result.
	Call(ctx context.Context, method string, params, result any) error
	// Attached returns a context that ends when the client leaves the session.
	Attached() context.Context
	// Reachable reports whether Call can be called.
	Reachable() bool
}

// bringing is a client with the canvases that it brings, of which there is at least one.
type bringing struct {
	by       Client
	as       wire.CanvasProvider
	canvases []wire.CanvasDeclared
}

// maxCanvases bounds the canvases that are open in a session.
const maxCanvases = 100

// clientLimit is how long a client may take for one call.
const clientLimit = time.Minute

// openCanvas is a canvas that is open, and the client that draws it.
type openCanvas struct {
	wire.OpenCanvas
	by Client
}

// List returns the canvases of all attached clients.
func (v *Canvases) List(ctx context.Context) ([]wire.CanvasFound, error) {
	return mailbox.Ask(ctx, v.session.Do, func() ([]wire.CanvasFound, error) { return v.list(), nil })
}

func (v *Canvases) list() (list []wire.CanvasFound) {
	for _, b := range v.brought {
		for _, d := range b.canvases {
			list = append(list, b.describe(d))
		}
	}
	return list
}

func (b *bringing) describe(d wire.CanvasDeclared) wire.CanvasFound {
	f := wire.CanvasFound{
		CanvasID: d.ID, DisplayName: d.DisplayName, Description: d.Description, Icon: wire.Optional(d.Icon), Actions: d.Actions,
		ExtensionID: b.as.ID, ExtensionName: wire.Optional(b.as.Name),
	}
	if len(d.InputSchema) > 0 {
		f.InputSchema = d.InputSchema
	}
	return f
}

// ListOpen returns the canvases that are open, in the order in which they were opened.
func (v *Canvases) ListOpen(ctx context.Context) (list []wire.OpenCanvas, err error) {
	return mailbox.Ask(ctx, v.session.Do, func() (list []wire.OpenCanvas, _ error) {
		for _, o := range v.open {
			list = append(list, o.OpenCanvas)
		}
		return list, nil
	})
}

// Opening names a canvas and the instance of it that is to be opened.
type Opening struct {
	CanvasID    string          `json:"canvasId"`
	ExtensionID string          `json:"extensionId"` // empty: that of the only client with such a canvas
	InstanceID  string          `json:"instanceId"`
	Input       json.RawMessage `json:"input"`
}

// Open has a client open a canvas. Opening an instance that is open shows it with another
// input. [fault.NotFound] if no client has the canvas, [fault.Conflict] if several have.
func (v *Canvases) Open(ctx context.Context, p Opening) (wire.OpenCanvas, error) {
	if p.InstanceID == "" {
		return wire.OpenCanvas{}, fault.New(fault.Invalid, "session.canvas.open", v.id, "instanceId is empty")
	}
	o, err := mailbox.Ask(ctx, v.session.Do, func() (openCanvas, error) { return v.find(p) })
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
	return o.OpenCanvas, v.session.Do(ctx, func() error {
		if !v.attached(o.by) {
			return fault.New(fault.Unavailable, "session.canvas.open", v.id, "the client with the canvas %q has left", p.CanvasID)
		}
		if at := v.at(p.InstanceID); at >= 0 {
			v.open[at] = o
		} else {
			v.open = append(v.open, o)
		}
		v.session.Emit("", &wire.CanvasOpened{
			CanvasID: o.CanvasID, ExtensionID: o.ExtensionID, ExtensionName: o.ExtensionName, Icon: o.Icon, Input: o.Input,
			InstanceID: o.InstanceID, Status: o.Status, Title: o.Title, URL: o.URL,
		})
		return nil
	})
}

// find looks for the canvas that is to be opened.
func (v *Canvases) find(p Opening) (o openCanvas, err error) {
	const op = "session.canvas.open"
	for _, b := range v.brought {
		for _, d := range b.canvases {
			if d.ID != p.CanvasID || p.ExtensionID != "" && p.ExtensionID != b.as.ID {
				continue
			}
			if o.by != nil {
				return o, fault.New(fault.Conflict, op, v.id, "several clients have a canvas %q; name its extensionId", p.CanvasID)
			}
			f := b.describe(d)
			o = openCanvas{by: b.by, OpenCanvas: wire.OpenCanvas{
				CanvasID: f.CanvasID, ExtensionID: f.ExtensionID, ExtensionName: f.ExtensionName, Icon: f.Icon, InstanceID: p.InstanceID,
			}}
			if len(p.Input) > 0 {
				o.Input = p.Input
			}
		}
	}
	switch at := v.at(p.InstanceID); {
	case o.by == nil:
		return o, fault.New(fault.NotFound, op, v.id, "no attached client has a canvas %q", p.CanvasID)
	case at < 0 && len(v.open) >= maxCanvases:
		return o, fault.New(fault.Unavailable, op, v.id, "%d canvases are open; close one first", maxCanvases)
	case at >= 0 && (v.open[at].CanvasID != o.CanvasID || v.open[at].by != o.by):
		return o, fault.New(fault.Conflict, op, v.id, "the instance %q is open already, of the canvas %q", p.InstanceID, v.open[at].CanvasID)
	}
	return o, nil
}

// at returns the index of the instance in the list of those that are open, -1 if it is none.
func (v *Canvases) at(instance string) int {
	return slices.IndexFunc(v.open, func(o openCanvas) bool { return o.InstanceID == instance })
}

// opened returns an instance that is open.
func (v *Canvases) opened(ctx context.Context, op, instance string) (openCanvas, error) {
	return mailbox.Ask(ctx, v.session.Do, func() (openCanvas, error) {
		if at := v.at(instance); at >= 0 {
			return v.open[at], nil
		}
		return openCanvas{}, fault.New(fault.NotFound, op, v.id, "no canvas is open as %q", instance)
	})
}

// Close closes an instance. The session counts it as closed even if the call of its client
// fails.
func (v *Canvases) Close(ctx context.Context, instance string) error {
	o, err := v.opened(ctx, "session.canvas.close", instance)
	if err != nil {
		return err
	}
	failed := v.call(ctx, "canvas.close", o, nil, "", nil)
	return errors.Join(failed, v.session.Do(ctx, func() error {
		if at := v.at(instance); at >= 0 {
			v.open = slices.Delete(v.open, at, at+1)
			v.session.Emit("", &wire.CanvasClosed{CanvasID: o.CanvasID, ExtensionID: o.ExtensionID, InstanceID: o.InstanceID})
		}
		return nil
	}))
}

// Act has the client of an instance carry out one of its actions, and returns the result.
func (v *Canvases) Act(ctx context.Context, instance, action string, input json.RawMessage) (result json.RawMessage, err error) {
	o, err := v.opened(ctx, "session.canvas.action.invoke", instance)
	if err != nil {
		return nil, err
	}
	return result, v.call(ctx, "canvas.action.invoke", o, input, action, &result)
}

// call calls the client of a canvas, and waits for a minute at most.
func (v *Canvases) call(ctx context.Context, method string, o openCanvas, input json.RawMessage, action string, result any) error {
	ctx, cancel := context.WithTimeout(ctx, clientLimit)
	defer cancel()
	defer context.AfterFunc(o.by.Attached(), cancel)()
	if !o.by.Reachable() {
		return fault.New(fault.Unavailable, method, v.id, "the client with the canvas %q cannot be called", o.CanvasID)
	}
	return o.by.Call(ctx, method, struct {
		SessionID   string          `json:"sessionId"`
		ExtensionID string          `json:"extensionId"`
		CanvasID    string          `json:"canvasId"`
		InstanceID  string          `json:"instanceId"`
		ActionName  string          `json:"actionName,omitempty"`
		Input       json.RawMessage `json:"input,omitempty"`
	}{v.id, o.ExtensionID, o.CanvasID, o.InstanceID, action, input}, result)
}

// Join adds the canvases that a configuration of a client brings, which [Check] has allowed, and
// announces them. It is called on the session's goroutine when the client has attached, or while
// the session is opened.
func (v *Canvases) Join(c Client, cfg wire.Config) {
	if len(cfg.Canvases) > 0 {
		v.brought = append(v.brought, bringing{c, drawing(cfg), cfg.Canvases})
		v.announce()
	}
}

// Left closes the open canvases of a client that has left, and announces that its canvases are no
// longer offered. It is called on the session's goroutine.
func (v *Canvases) Left(c Client) {
	if !v.attached(c) {
		return
	}
	v.brought = slices.DeleteFunc(v.brought, func(b bringing) bool { return b.by == c })
	v.open = slices.DeleteFunc(v.open, func(o openCanvas) bool {
		if o.by == c {
			v.session.Emit("", &wire.CanvasUnavailable{CanvasID: o.CanvasID, ExtensionID: o.ExtensionID, InstanceID: o.InstanceID})
		}
		return o.by == c
	})
	v.announce()
}

// attached reports whether a client with canvases has not left.
func (v *Canvases) attached(c Client) bool {
	return slices.ContainsFunc(v.brought, func(b bringing) bool { return b.by == c })
}

func (v *Canvases) announce() {
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
	v.session.Emit("", changed)
}

// Check refuses canvases that could not be told apart.
func Check(list []wire.CanvasDeclared) error {
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
