package approval

import (
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Sampling is the request of an MCP server for a text of a model.
type Sampling struct {
	AgentID string // of the thread whose tool call led to it; may be empty
	Server  string
	// RequestID is the id of the request in the server's protocol, as JSON.
	RequestID json.RawMessage
	// Params are those of the request, sampling/createMessage, as the server sent them.
	Params json.RawMessage
}

// maxSampling bounds the parameters of a sampling request, in bytes: they may hold pictures.
const maxSampling = 8 << 20

// Sample asks the clients to answer the request of an MCP server for a text of a model. The
// result is that of sampling/createMessage, as the client sent it; nil if it has refused. The
// error is [tool.ErrNobody] if no attached client has registered its interest in
// sampling.requested.
func (o *Questions) Sample(ctx context.Context, s Sampling) (json.RawMessage, error) {
	if len(s.Params) > maxSampling {
		return nil, fault.New(fault.Invalid, "approval.Sample", s.Server, "the request has %d bytes, and at most %d are allowed", len(s.Params), maxSampling)
	}
	id := wire.NewID()
	answer, err := o.ask(ctx, &question{
		id: id, agentID: s.AgentID, can: Samples,
		event:     wire.WithField(&wire.SamplingRequested{RequestID: id, ServerName: s.Server, MCPRequestID: s.RequestID}, wire.FieldRequest, s.Params),
		completed: func(any) wire.Data { return &wire.SamplingCompleted{RequestID: id} },
	})
	result, _ := answer.(json.RawMessage)
	return result, err
}

// AnswerSampling answers the request of an MCP server with a result, or refuses it if that is
// nil. It reports false if no such request is open.
func (o *Questions) AnswerSampling(ctx context.Context, requestID string, result json.RawMessage) (ok bool, err error) {
	if string(result) == "null" {
		result = nil
	}
	return o.answer(ctx, requestID, Samples, result, nil)
}
