package session

import (
	"context"
	"fmt"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// maxAllowedModels bounds the list of models that a client allows.
const maxAllowedModels = 1000

// allows is why a client does not let a model be called, nil if it may be. Any goroutine may call it.
func allows(s *Session, model string) error {
	list := s.config.allowed.Load()
	if list == nil || slices.Contains(*list, model) {
		return nil
	}
	return &fault.Error{
		Op: "model", On: s.id, Kind: fault.Denied, Hint: "choose one that it allows, or change the list with session.model.setAllowedModels",
		Err: fmt.Errorf("the client of the session does not allow the model %q", fault.Bounded(model)),
	}
}

// SetAllowedModels lets only these models be called from the next call on, by sub-agents and as fallbacks, too; nil
// allows all again. If the model of the session is not among them, the first one takes its place. It returns the model
// of the session. The list is kept in memory only. [fault.Invalid] for an empty list, and for one whose first model
// cannot be chosen; then nothing changes.
func (t Settings) SetAllowedModels(ctx context.Context, list []string) (model string, err error) {
	const op = "session.model.setAllowedModels"
	if list == nil {
		return mailbox.Ask(ctx, t.s.log.Do, func() (string, error) { t.s.config.allowed.Store(nil); return t.currentModel(), nil })
	}
	if len(list) == 0 || len(list) > maxAllowedModels || slices.Contains(list, "") {
		return "", fault.New(fault.Invalid, op, t.s.id, "allowedModels has %d models, want 1 to %d, each with a name; null allows all", len(list), maxAllowedModels)
	}
	list = slices.Clone(list)
	return mailbox.Ask(ctx, t.s.log.Change, func() (string, error) {
		now := t.currentModel()
		if slices.Contains(list, now) {
			t.s.config.allowed.Store(&list)
			return now, nil
		}
		if err := t.choosable(op, list[0]); err != nil {
			return "", err
		}
		if err := t.s.log.Record("", t.chosen(&wire.SessionModelChange{NewModel: list[0], PreviousModel: wire.Optional(now)})); err != nil {
			return "", err
		}
		t.s.permissions.GrantModel(list[0])
		t.s.config.allowed.Store(&list)
		return list[0], nil
	})
}

// allowing is allows of one session, for those that do not know it.
func allowing(s *Session) func(model string) error {
	return func(model string) error { return allows(s, model) }
}
