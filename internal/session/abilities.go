package session

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The kinds of questions that attached clients can answer, and how the others learn of them.

// The values of askUserVariant: how the model asks its user.
const (
	variantLegacy      = "legacy"      // a question with choices
	variantElicitation = "elicitation" // a form
)

// abilities are the kinds of questions that a client answers. The zero value answers none.
// They belong to the session's goroutine.
type abilities struct {
	answers  bool // questions of ask_user, when it is called
	approves bool // plans, when it is called
	switches bool // whether a run continues on another model, when it is called
	fills    bool // elicitations, when it sees the event
	// interests counts the registrations of a client's interest in an event; nil for none. A
	// client that is interested in the event of a question answers it.
	interests map[wire.EventType]int
}

func abilitiesOf(cfg wire.Config) abilities {
	return abilities{
		answers: is(cfg.RequestUserInput), approves: is(cfg.RequestExitPlan),
		switches: is(cfg.RequestSwitch), fills: is(cfg.RequestElicitation),
	}
}

// called reports whether a client answers a kind of question when it is called.
func (a *abilities) called(can approval.Ability) bool {
	switch can {
	case approval.AnswersQuestions:
		return a.answers
	case approval.DecidesOnPlans:
		return a.approves
	case approval.SwitchesModel:
		return a.switches
	}
	return false
}

// callable reports whether a client answers a kind of question when it is called, and can be.
func (c *Client) callable(can approval.Ability) bool { return c.peer != nil && c.called(can) }

// can reports whether a client answers a kind of question.
func (c *Client) can(a approval.Ability) bool {
	return c.callable(a) || c.fills && a == approval.FillsForms || c.interests[a.Event()] > 0
}

// audience is the attached clients of a session together. Its methods are called on the
// session's goroutine.
type audience struct{ s *Session }

// can reports whether an attached client answers a kind of question.
func (u audience) can(a approval.Ability) bool {
	return u.s.latest(func(c *Client) bool { return c.can(a) }) != nil
}

// interested reports whether an attached client is interested in a type of events.
func (u audience) interested(event wire.EventType) bool {
	return u.s.latest(func(c *Client) bool { return c.interests[event] > 0 }) != nil
}

// maxInterests bounds the types of events that a client can be interested in; there are 147.
const maxInterests = 1000

// Interest notes that a client is interested in events of a type: if they are those of a
// question, it answers it. A client gets all events in any case. Each call counts, until
// [Client.Disinterest] undoes it.
func (c *Client) Interest(ctx context.Context, event wire.EventType) error {
	return c.s.log.Do(ctx, func() error {
		if c.interests == nil {
			c.interests = map[wire.EventType]int{}
		}
		if len(c.interests) < maxInterests {
			c.interests[event]++
		}
		if c.interests[event] == 1 {
			c.s.questions.Interested(asked{c}, event)
			if event == approval.SignsIn.Event() || event == approval.GivesHeaders.Event() {
				MCP(c.s).Retry()
			}
		}
		return nil
	})
}

// Disinterest undoes one call of [Client.Interest].
func (c *Client) Disinterest(ctx context.Context, event wire.EventType) error {
	return c.s.log.Do(ctx, func() error {
		if c.interests[event]--; c.interests[event] <= 0 {
			delete(c.interests, event)
		}
		c.s.command.Unwatched()
		return nil
	})
}

// announce sends capabilities.changed to the clients, but for one that has just attached and
// learns of it from the result of its resume, if now an attached client answers elicitations
// and before none did, or the other way round.
func (u audience) announce(attached *Client) {
	s := u.s
	now := s.latest(func(c *Client) bool { return c.fills }) != nil
	if attached != nil {
		attached.elicits = now
	}
	if now == s.config.elicits {
		return
	}
	s.config.elicits = now
	for _, c := range s.clients {
		if c != attached {
			s.log.EmitTo(c.tail, "", &wire.CapabilitiesChanged{UI: &wire.CapabilitiesUI{Elicitation: &now}})
		}
	}
}

// Elicits reports whether an attached client answered elicitations when this one attached.
// Later changes are capabilities.changed events.
func (c *Client) Elicits() bool { return c.elicits }

// HandleSwitches is [approval.Questions.HandleSwitches] for this client.
func (c *Client) HandleSwitches(ctx context.Context) (handle string, err error) {
	return c.s.questions.HandleSwitches(ctx, asked{c})
}
