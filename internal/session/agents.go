package session

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A session can have a Copilot Extensions agent in place of a model: its model is then
// called as [model.AgentName] says, or the client brings a provider of the type
// "extension". Agents get what was said to them and what they answered, nothing of
// ours and nothing that was said to others; decision 0015 says why.

// providerAgent is the type of a client's provider that is an agent.
const providerAgent = "extension"

// agentOf is the name of the agent that a session's model is, "" if it is none.
func agentOf(name string, p Provider) string {
	switch {
	case state.IsExtension(name):
		return name
	case p.Endpoint.Kind == model.Extension, name == "" && state.IsExtension(p.Model):
		return p.Model
	}
	return ""
}

// agent is the endpoint of a wish for an agent; ok is false if it is not for one. The
// address that the process was started with may be private, whoever asks.
func (r *Registry) agent(w wish) (e turnEndpoint, ok bool) {
	name := agentOf(w.model, w.provider)
	address, ok := model.AgentAddress(name)
	if !ok {
		return e, false
	}
	e = turnEndpoint{client: r.opts.Model, endpoint: w.provider.Endpoint, model: name}
	if e.endpoint.Kind != model.Extension || address != e.endpoint.BaseURL { // no credential of the provider is for it
		e.endpoint = model.Endpoint{Kind: model.Extension, BaseURL: address}
		if name == r.opts.Provider.Model {
			e.endpoint.BearerToken = r.opts.Provider.AgentToken
		}
	}
	e.endpoint.PublicOnly = e.endpoint.PublicOnly || w.remote && name != r.opts.Provider.Model
	return e, true
}

func (e turnEndpoint) agent() bool { return e.endpoint.Kind == model.Extension }

// checkModel refuses the name of an agent that cannot be called.
func (r *Registry) checkModel(name string, remote bool) error {
	if address, ok := model.AgentAddress(name); ok {
		return model.CheckAgent(address, remote && name != r.opts.Provider.Model)
	}
	return nil
}

// checkAgentProvider is checkProvider for an agent.
func checkAgentProvider(p *wire.Provider, remote bool, invalid func(string, ...any) error) error {
	if p.APIKey != "" || p.HasTokenSource {
		return invalid(`an agent takes no apiKey and no token callback: bearerToken is sent to it as X-GitHub-Token, and headers as they are`)
	}
	if err := model.CheckAgent(p.BaseURL, remote); err != nil {
		return invalid("the provider's baseUrl: %w", err)
	}
	return nil
}

// address says to whom a message goes, and what is to be said about tools: to whom runs
// speak that begin now.
func (s *Session) address(m *message) { s.addressTo(m, agentOf(s.state.Model, s.provider)) }

func (s *Session) addressTo(m *message, agent string) {
	m.removedTools, m.extension = nil, agent
	if m.extension == "" {
		m.removedTools = s.removedTools()
	}
}

// addressed adds to a user.message which agent it goes to, and what it refers to.
func (m *message) addressed(e wire.Data, references json.RawMessage) wire.Data {
	if m.extension == "" {
		return e
	}
	return wire.WithField(wire.WithField(e, wire.FieldExtension, wire.AppendString(nil, m.extension)), wire.FieldReferences, references)
}

// thread is what agents know the conversation by: a UUID that never changes, and that
// does not tell the session's id, which is enough to speak in it.
func (s *Session) thread() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "copilot_thread_id\x00%s\x00%d", s.id, s.state.Started.UnixMilli()))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // version 8, RFC 9562: made as its maker likes
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}
