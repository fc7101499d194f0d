package tool

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

var stopBashDefinition = described{name: fact.StopBash}

// stopBash kills what runs in a shell.
type stopBash struct{ *console }

func (stopBash) Definition() Definition { return stopBashDefinition.Get() }

// Request needs no permission: only what the session itself started can be ended.
func (stopBash) Request(context.Context, Call) (*permit.Request, *Result) { return nil, nil }

func (b stopBash) Run(ctx context.Context, c Call) Result {
	args, bad := decode[shellArgs](c)
	if bad != nil {
		return *bad
	}
	r, err := b.shells.Stop(ctx, args.ShellID)
	if err != nil {
		return refusal(err)
	}
	return over(news(r), r)
}
