package approval

import (
	"context"
	"fmt"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// RateLimit describes why the provider refuses calls of a model at present.
type RateLimit struct {
	Code string
	// RetryAfter is how long the limit holds, in seconds; 0 if that is not known.
	RetryAfter int64
}

// SwitchModel asks whether a run that a rate limit has stopped continues on another model. The
// answer is [wire.SwitchNo] if the client that was asked has failed. The error is
// [tool.ErrNobody] if no attached client decides that.
func (o *Questions) SwitchModel(ctx context.Context, limit RateLimit) (wire.SwitchAnswer, error) {
	id := wire.NewID()
	params := map[string]any{"sessionId": o.sessionID, "errorCode": limit.Code}
	if limit.RetryAfter > 0 {
		params["retryAfterSeconds"] = limit.RetryAfter
	}
	answer, err := o.ask(ctx, &question{
		id: id, can: SwitchesModel, method: "autoModeSwitch.request", params: params,
		event: &wire.SwitchRequested{RequestID: id, ErrorCode: wire.Optional(limit.Code), RetryAfterSeconds: wire.Optional(limit.RetryAfter)},
		read: func(call func(any) error) (any, error) {
			got := struct {
				Response wire.SwitchAnswer `json:"response"`
			}{wire.SwitchNo}
			if err := call(&got); err != nil && ctx.Err() == nil && fault.KindOf(err) != fault.Unavailable {
				return wire.SwitchNo, nil // a client that fails has not agreed
			} else if err != nil {
				return nil, err
			}
			if !knownSwitch(got.Response) {
				got.Response = wire.SwitchNo
			}
			return got.Response, nil
		},
		check: func(answer any) error {
			if a, _ := answer.(wire.SwitchAnswer); !knownSwitch(a) {
				return fmt.Errorf("the response is %q, want %q, %q or %q", fault.Bounded(string(a)), wire.SwitchYes, wire.SwitchAlways, wire.SwitchNo)
			}
			return nil
		},
		completed: func(answer any) wire.Data {
			a, ok := answer.(wire.SwitchAnswer)
			if !ok {
				a = wire.SwitchNo
			}
			return &wire.SwitchCompleted{RequestID: id, Response: a}
		},
	})
	a, ok := answer.(wire.SwitchAnswer)
	if !ok {
		a = wire.SwitchNo
	}
	return a, err
}

func knownSwitch(a wire.SwitchAnswer) bool {
	return slices.Contains([]wire.SwitchAnswer{wire.SwitchNo, wire.SwitchYes, wire.SwitchAlways}, a)
}

// AnswerSwitch answers a question of [Questions.SwitchModel]. It reports false if no such
// question is open.
func (o *Questions) AnswerSwitch(ctx context.Context, requestID string, a wire.SwitchAnswer) (ok bool, err error) {
	return o.answer(ctx, requestID, SwitchesModel, a, nil)
}

// maxDirect bounds the handlers of model switches that are registered in a session.
const maxDirect = 100

// HandleSwitches notes that a client answers questions of [Questions.SwitchModel] when it sees
// their events, and returns a handle for [Questions.StopHandlingSwitches]. Until that is
// called, or the client leaves, no client is sent a request.
func (o *Questions) HandleSwitches(ctx context.Context, c Client) (handle string, err error) {
	return mailbox.Ask(ctx, o.session.Do, func() (string, error) {
		if len(o.direct) >= maxDirect {
			return "", fault.New(fault.Unavailable, "session.ui.registerDirectAutoModeSwitchHandler", o.sessionID,
				"%d handlers are registered already; unregister one", maxDirect)
		}
		if o.direct == nil {
			o.direct = map[string]Client{}
		}
		handle := wire.NewID()
		o.direct[handle] = c
		return handle, nil
	})
}

// StopHandlingSwitches undoes [Questions.HandleSwitches]. It reports false for a handle that is
// not registered.
func (o *Questions) StopHandlingSwitches(ctx context.Context, handle string) (ok bool, err error) {
	return mailbox.Ask(ctx, o.session.Do, func() (bool, error) {
		_, known := o.direct[handle]
		delete(o.direct, handle)
		o.putAfter(nil)
		return known, nil
	})
}

// RaiseLimit asks what happens with a session that has used all AI credits of its limit. The
// action is [wire.LimitCancel] if the question was withdrawn. The error is [tool.ErrNobody] if
// no attached client decides that.
func (o *Questions) RaiseLimit(ctx context.Context, used, limit float64) (wire.LimitAnswer, error) {
	id := wire.NewID()
	answer, err := o.ask(ctx, &question{
		id: id, can: RaisesLimits, event: &wire.LimitRequested{RequestID: id, UsedAiCredits: used, MaxAiCredits: limit},
		check: func(answer any) error {
			a, _ := answer.(wire.LimitAnswer)
			return checkLimit(a, used, limit)
		},
		completed: func(answer any) wire.Data {
			a, ok := answer.(wire.LimitAnswer)
			if !ok {
				a.Action = wire.LimitCancel
			}
			return &wire.LimitCompleted{RequestID: id, Response: a}
		},
	})
	a, ok := answer.(wire.LimitAnswer)
	if !ok {
		a.Action = wire.LimitCancel
	}
	return a, err
}

// checkLimit returns why an answer is not valid, for example because it leaves no credits to
// continue with; nil if it is valid.
func checkLimit(a wire.LimitAnswer, used, limit float64) error {
	switch a.Action {
	case wire.LimitCancel, wire.LimitUnset:
		return nil
	case wire.LimitAdd:
		if a.AdditionalAiCredits == nil || limit+*a.AdditionalAiCredits <= used {
			return fmt.Errorf("additionalAiCredits has to bring the limit of %g above the %g credits that are used", limit, used)
		}
		return nil
	case wire.LimitSet:
		if a.MaxAiCredits == nil || *a.MaxAiCredits <= used {
			return fmt.Errorf("maxAiCredits has to be more than the %g credits that are used", used)
		}
		return nil
	}
	return fmt.Errorf("the action is %q, want %q, %q, %q or %q", fault.Bounded(string(a.Action)), wire.LimitAdd, wire.LimitSet, wire.LimitUnset, wire.LimitCancel)
}

// AnswerLimit answers a question of [Questions.RaiseLimit]. It reports false if no such
// question is open.
func (o *Questions) AnswerLimit(ctx context.Context, requestID string, a wire.LimitAnswer) (ok bool, err error) {
	return o.answer(ctx, requestID, RaisesLimits, a, nil)
}
