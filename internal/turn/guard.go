package turn

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// The functions of this file call the host, and survive its panics: the other calls of a
// message must end in order even if one of them panics.

// before calls [Host.Before]. If the host itself panics there, the call is not made, because a
// hook might have denied it. A panic inside one hook does not come here: that hook counts
// as failed, and the call continues.
func (t *turn) before(ctx context.Context, c tool.Call) (h Hooked) {
	defer func() {
		if p := recover(); p != nil {
			h = Hooked{Refused: t.crashed(c, p)}
		}
	}()
	return t.host.Before(ctx, c)
}

// after calls [Host.After] for the result of a call, made or not. An interrupted call has
// no result that hooks could change. If hooks panic, the result stays as it is, as it
// does when they fail: the tool has acted, and the model should know how.
func (t *turn) after(ctx context.Context, e *ending) {
	if e.result.Outcome == tool.Interrupted {
		return
	}
	defer func() {
		if p := recover(); p != nil {
			t.report(e.call, fault.Panicked("turn.After", p).Error())
		}
	}()
	e.result = t.host.After(ctx, e.call, e.result)
}

// finish calls complete, and returns a panic as an error.
func (t *turn) finish(e *ending, last bool) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.Panicked("turn.Run", p)
		}
	}()
	return t.complete(e, last)
}

// crashed reports a panic in a call and returns the result of the call.
func (t *turn) crashed(c tool.Call, p any) *tool.Result {
	res := crashed(c, p)
	t.report(c, res.Error)
	return res
}

// report calls [Host.CallFailed]. A panic in it cannot be reported anywhere and is
// dropped.
func (t *turn) report(c tool.Call, why string) {
	_ = fault.Guard("turn.CallFailed", func() error { t.host.CallFailed(c, why); return nil })
}
