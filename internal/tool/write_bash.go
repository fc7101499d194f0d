package tool

import (
	"context"
	"time"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

var writeBashDefinition = described{name: fact.WriteBash}

// writeBash types into a program.
type writeBash struct{ *console }

const writeDelay = time.Second

func (writeBash) Definition() Definition { return writeBashDefinition.Get() }

// Request asks as for a command: what a program does with its input is not known.
func (b writeBash) Request(_ context.Context, c Call) (*permit.Request, *Result) {
	args, bad := decode[shellArgs](c)
	if bad != nil {
		return nil, bad
	}
	return &permit.Request{
		Kind: permit.Shell, Tool: c.Name, Intention: "Type into the program in shell " + args.ShellID,
		Command: permit.Command{Text: args.Input, Dir: b.w.Cwd(), Unclear: "it is input of a program that is running", Input: true},
	}, nil
}

func (b writeBash) Run(ctx context.Context, c Call) Result {
	args, bad := decode[shellArgs](c)
	if bad != nil {
		return *bad
	}
	if c.Permitted == nil || c.Permitted.Command.Text != args.Input {
		return failure("there is no permission for this input")
	}
	r, err := b.shells.Write(ctx, args.ShellID, shell.Keys(args.Input), seconds(args.Delay, writeDelay, 0))
	if err != nil {
		return refusal(err)
	}
	return over(news(r), r)
}
