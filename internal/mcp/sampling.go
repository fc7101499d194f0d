//lint:file-ignore SA1019 servers use sampling, although the newest version of the protocol advises against it.

package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// Sampling is what a server asks a model for, with the protocol's sampling/createMessage.
type Sampling struct {
	// Number is the number of the request on its connection.
	Number int64
	// Params are those of the request, as JSON.
	Params json.RawMessage
	// AgentID is the thread whose call the server is carrying out; "" if that is not clear.
	AgentID string
}

// maxSamplings bounds the requests of one server for a model that are open at once.
const maxSamplings = 4

// Codes of errors that servers read.
const (
	codeRejected = -1 // by the user, as the protocol has it
	codeInternal = -32603
)

// samplable has the client of the SDK pass on what servers ask models for.
func (n *connection) samplable(o *sdk.ClientOptions, asker Asker) {
	o.CreateMessageHandler = func(ctx context.Context, q *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
		if n.samplings.Add(1) > maxSamplings {
			n.samplings.Add(-1)
			return nil, &jsonrpc.Error{Code: codeInternal, Message: fmt.Sprintf("%d sampling requests are open already", maxSamplings)}
		}
		defer n.samplings.Add(-1)
		ctx, done := n.duringCalls(ctx)
		defer done()
		params, err := json.Marshal(q.Params)
		if err != nil {
			return nil, err
		}
		answer, err := asker.Sample(ctx, n.server.name, Sampling{Number: n.sampled.Add(1), Params: params, AgentID: n.callOf(ctx).AgentID})
		switch {
		case errors.Is(err, tool.ErrNobody):
			return nil, &jsonrpc.Error{Code: codeRejected, Message: "no client of this session answers sampling requests"}
		case err != nil:
			return nil, &jsonrpc.Error{Code: codeInternal, Message: fault.Message(err)}
		case answer == nil:
			return nil, &jsonrpc.Error{Code: codeRejected, Message: "the user rejected the sampling request"}
		}
		res := &sdk.CreateMessageResult{}
		if err := json.Unmarshal(answer, res); err != nil || res.Content == nil {
			return nil, &jsonrpc.Error{Code: codeInternal, Message: "the client answered the sampling request with no message"}
		}
		return res, nil
	}
}

// Turn is one message of a [SampleRequest].
type Turn struct {
	Assistant bool // the model's, not the user's
	Text      string
	Pictures  []string // as data URLs
}

// SampleRequest is what a model is asked for on behalf of a server.
type SampleRequest struct {
	System    string
	Turns     []Turn
	MaxTokens int // 0: no bound of the server's
}

// ReadSample reads the parameters of a sampling/createMessage. The error is one of the parameters.
func ReadSample(params json.RawMessage) (SampleRequest, error) {
	var p struct {
		System    string `json:"systemPrompt"`
		MaxTokens int    `json:"maxTokens"`
		Messages  []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return SampleRequest{}, fmt.Errorf("the request of the server cannot be read: %w", err)
	}
	switch {
	case len(p.Messages) == 0:
		return SampleRequest{}, errors.New("the request of the server has no messages")
	case len(p.Tools) > 0:
		return SampleRequest{}, errors.New("the request of the server has tools, which this runtime does not offer")
	}
	r := SampleRequest{System: p.System, MaxTokens: max(p.MaxTokens, 0)}
	for _, m := range p.Messages {
		t, err := readTurn(m.Content)
		if err != nil {
			return SampleRequest{}, err
		}
		if t.Assistant = m.Role == "assistant"; !t.Assistant && m.Role != "user" {
			return SampleRequest{}, errors.New(`a message of the server has a role that is neither "user" nor "assistant"`)
		}
		r.Turns = append(r.Turns, t)
	}
	return r, nil
}

// readTurn reads the content of a message: one block, or a list of them.
func readTurn(content json.RawMessage) (t Turn, err error) {
	type block struct {
		Type, Text, Data, MIMEType string
	}
	var blocks []block
	if strings.HasPrefix(strings.TrimSpace(string(content)), "[") {
		err = json.Unmarshal(content, &blocks)
	} else {
		blocks = make([]block, 1)
		err = json.Unmarshal(content, &blocks[0])
	}
	if err != nil {
		return t, errors.New("a message of the server cannot be read")
	}
	for _, b := range blocks {
		switch b.Type {
		case "text":
			t.Text = strings.TrimPrefix(t.Text+"\n"+b.Text, "\n")
		case "image":
			t.Pictures = append(t.Pictures, "data:"+b.MIMEType+";base64,"+b.Data)
		default:
			return t, fmt.Errorf("a message of the server has content of the type %q, which models do not get", b.Type)
		}
	}
	return t, nil
}

// Execution begins an execution of a sampling request, which a client names by an id of its own, and
// whose server must be connected. It ends with end, and ctx ends when it is canceled.
func (s *Set) Execution(ctx context.Context, id, server string) (_ context.Context, end func(), err error) {
	if _, _, err := s.connected(server); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.executions[id] != nil:
		cancel()
		return nil, nil, fmt.Errorf("the execution %q is running already", id)
	case len(s.executions) >= maxSamplings:
		cancel()
		return nil, nil, fmt.Errorf("%d executions are running already", maxSamplings)
	case s.executions == nil:
		s.executions = map[string]context.CancelFunc{}
	}
	s.executions[id] = cancel
	return ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.executions, id)
		cancel()
	}, nil
}

// CancelExecution cancels an execution. It reports false if there is none with that id.
func (s *Set) CancelExecution(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	cancel := s.executions[id]
	if cancel != nil {
		cancel()
	}
	return cancel != nil
}
