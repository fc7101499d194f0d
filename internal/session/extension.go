package session

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/queue"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// The model of a session can be a Copilot Extensions agent: a program of another vendor,
// which is called in place of a model. Its model then has the form of [extensions.ModelName],
// or the client brings a provider of the type "extension". The agent gets the messages
// that were sent to it and its own answers, and nothing else of the conversation;
// decision 0015 says why. Agents that clients define for the models of this program are
// in package agent.

// extension is a session as a Copilot Extensions agent is called in it. It belongs to the
// session's goroutine.
type extension struct{ s *Session }

func forExtension(s *Session) extension { return extension{s} }

// address sets whether a message goes to the model or to a Copilot Extensions agent, as
// for runs that begin now, and which removed tools it reports.
func (x extension) address(m *queue.Message) {
	x.addressTo(m, provider.ExtensionOf(x.s.log.State().Model, x.s.config.providers.Own))
}

func (x extension) addressTo(m *queue.Message, agent string) {
	m.RemovedTools, m.Extension, m.Documents = nil, agent, false
	if m.Extension == "" {
		m.RemovedTools = x.s.tools.removedTools()
		p, _ := x.s.providerOf(x.s.log.State().Model)
		m.Documents = provider.ReadsDocuments(&p.Endpoint)
	}
}

// extensionThread identifies the conversation to Copilot Extensions agents: a UUID that
// never changes and does not reveal the session's id, because a client with that id can
// send messages to the session.
func (x extension) thread() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "copilot_thread_id\x00%s\x00%d", x.s.id, x.s.log.State().Started.UnixMilli()))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // version 8 of RFC 9562: the bits are up to the program
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// decided reports whether the next call of a Copilot Extensions agent reports the user's
// decision to it.
func (t *thread) decided() (yes bool) {
	if !t.endpoint.IsExtension() {
		return false
	}
	_ = t.s.log.Post(context.Background(), func() error {
		if messages := t.talk().Messages; len(messages) > 0 {
			calls := messages[len(messages)-1].Calls
			yes = len(calls) > 0 && len(state.OpenCalls(calls)) == 0
		}
		return nil
	})
	return yes
}

// confirms reports whether a call is a confirmation that a Copilot Extensions agent asks
// for, and not a tool call of a model.
func (t *thread) confirms(c tool.Call) bool {
	return t.endpoint.IsExtension() && c.Name == extensions.ConfirmationTool
}
