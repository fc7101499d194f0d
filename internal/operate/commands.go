package operate

import (
	"context"
	"errors"
	"net/url"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Prompt returns what the slash command of a skill, or of a prompt in a file, sends; ok is false if there
// is none. The error names the command, and not the session: the user is in it.
func Prompt(ctx context.Context, s *session.Session, name, input string) (p wire.CommandPrompt, ok bool, err error) {
	p, ok, err = s.Commands().Prompt(ctx, name, input)
	return p, ok, inSession(s, err)
}

// Do has the session carry out a slash command of this program, and returns what it says. The text is harmless. The
// error is as that of [Prompt].
func (h Here) Do(ctx context.Context, name, arg string) (said string, err error) {
	s := h.Client.Session()
	r, err := s.Commands().CarryOut(ctx, name, arg)
	switch r := r.(type) {
	case *wire.CommandText:
		said = r.Text
	case *wire.CommandDone:
		said = wire.OrZero(r.Message)
	}
	return timeline.Harmless(said), inSession(s, err)
}

// inSession is an error of a command without the name of the session.
func inSession(s *session.Session, err error) error {
	var e *fault.Error
	if errors.As(err, &e) && e.On == s.ID() && !wire.IsSessionNotFound(err) {
		plain := *e
		plain.Op, plain.On = "", ""
		return &plain
	}
	return err
}

// Message is the message of a prompt, in a mode unless the prompt has one of its own.
func Message(p wire.CommandPrompt, mode string) wire.Send {
	if p.Mode != nil {
		mode = string(*p.Mode)
	}
	return wire.Send{Prompt: p.Prompt, DisplayPrompt: p.DisplayPrompt, AgentMode: mode}
}

// AgentHost is the host of the agent that is the session's model, "" if the model is no agent.
func AgentHost(ctx context.Context, s *session.Session) string {
	name, _, err := s.Settings().Model(ctx)
	address, _ := extensions.Address(name)
	u, parseErr := url.Parse(address)
	if err != nil || parseErr != nil {
		return ""
	}
	return u.Host
}
