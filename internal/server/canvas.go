package server

import (
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/canvas"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func listCanvases(ctx context.Context, s *session.Session, _ named) (any, error) {
	list, err := session.CanvasesOf(s).List(ctx)
	if err != nil {
		return nil, err
	}
	return encode(wire.CanvasesFound{Canvases: list})
}

func listOpenCanvases(ctx context.Context, s *session.Session, _ named) (any, error) {
	list, err := session.CanvasesOf(s).ListOpen(ctx)
	if err != nil {
		return nil, err
	}
	return encode(wire.OpenCanvases{OpenCanvases: list})
}

func openCanvas(ctx context.Context, s *session.Session, p canvas.Opening) (any, error) {
	o, err := session.CanvasesOf(s).Open(ctx, p)
	if err != nil {
		return nil, err
	}
	return encode(o)
}

func closeCanvas(ctx context.Context, s *session.Session, p struct {
	InstanceID string `json:"instanceId"`
},
) (any, error) {
	return none{}, session.CanvasesOf(s).Close(ctx, p.InstanceID)
}

func actOnCanvas(ctx context.Context, s *session.Session, p struct {
	InstanceID string          `json:"instanceId"`
	ActionName string          `json:"actionName"`
	Input      json.RawMessage `json:"input"`
},
) (any, error) {
	if p.ActionName == "" {
		return nil, missing("actionName")
	}
	result, err := session.CanvasesOf(s).Act(ctx, p.InstanceID, p.ActionName, p.Input)
	return struct {
		Result json.RawMessage `json:"result,omitempty"`
	}{result}, err
}
