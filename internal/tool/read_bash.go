package tool

import (
	"context"
	"time"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

var readBashDefinition = described{name: fact.ReadBash}

// readBash returns new output of a running command.
type readBash struct{ *console }

type shellArgs struct {
	ShellID string   `json:"shellId"`
	Input   string   `json:"input"`
	Delay   *float64 `json:"delay"`
}

const readDelay = 5 * time.Second

func (readBash) Definition() Definition { return readBashDefinition.Get() }

// Request needs no permission: the command has it.
func (readBash) Request(context.Context, Call) (*permit.Request, *Result) { return nil, nil }

func (b readBash) Run(ctx context.Context, c Call) Result {
	args, bad := decode[shellArgs](c)
	if bad != nil {
		return *bad
	}
	return b.read(ctx, args.ShellID, seconds(args.Delay, readDelay, 0))
}
