package server

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// selection returns the filter for the requested events, nil for all.
func selection(p *wire.EventLogRead) (func(eventlog.Record) bool, error) {
	ofType, err := typeSelection(p)
	if err != nil {
		return nil, err
	}
	ofAgent, err := agentSelection(p)
	if err != nil || ofType == nil && ofAgent == nil {
		return nil, err
	}
	return func(rec eventlog.Record) bool {
		e := labelOf(rec, ofAgent != nil)
		return (ofType == nil || ofType(e)) && (ofAgent == nil || ofAgent(e))
	}, nil
}

func typeSelection(p *wire.EventLogRead) (func(*label) bool, error) {
	switch t := p.Types; {
	case t == nil || t.String == nil && t.StringArray == nil:
		return nil, nil
	case t.String != nil && *t.String == "*":
		return nil, nil
	case t.String != nil:
		return nil, unfit(`types is %q, want "*" or a list`, *t.String)
	case len(t.StringArray) == 0:
		return nil, unfit("types is an empty list; leave it out to get all")
	}
	return func(e *label) bool { return slices.Contains(p.Types.StringArray, string(e.Type)) }, nil
}

func agentSelection(p *wire.EventLogRead) (func(*label) bool, error) {
	scope := ""
	if p.AgentScope != nil {
		scope = string(*p.AgentScope)
	}
	switch {
	case p.AgentIDs != nil && len(p.AgentIDs) == 0:
		return nil, unfit("agentIds is an empty list; leave it out to get all")
	case scope != "" && scope != "all" && scope != "primary":
		return nil, unfit(`agentScope is %q, want "primary" or "all"`, scope)
	case p.AgentIDs != nil:
		return func(e *label) bool { return slices.ContainsFunc(p.AgentIDs, e.owned) }, nil
	case scope == "primary":
		return func(e *label) bool { return e.AgentID == "" || strings.HasPrefix(string(e.Type), "subagent.") }, nil
	}
	return nil, nil
}

// label is the part of an event that a selection looks at. Older logs name the owner of
// an event in its data.
type label struct {
	Type    wire.EventType
	AgentID string
	Data    struct {
		AgentID          string
		ParentToolCallID string
	}
}

func (e *label) owned(by string) bool {
	return by != "" && (e.AgentID == by || e.Data.AgentID == by || e.Data.ParentToolCallID == by)
}

// labelOf reads the label of a record; only its type, unless the owner matters. A field
// that it cannot read is empty.
func labelOf(rec eventlog.Record, owner bool) *label {
	if rec.Delta != nil {
		return &label{Type: rec.Delta.Type, AgentID: rec.Delta.AgentID}
	}
	if kind, ok := bytes.CutPrefix(rec.JSON, []byte(`{"type":"`)); ok && !owner { // our own logs begin like this
		if kind, _, ok = bytes.Cut(kind, []byte(`"`)); ok {
			return &label{Type: wire.EventType(kind)}
		}
	}
	e := new(label)
	_ = json.Unmarshal(rec.JSON, e)
	return e
}
