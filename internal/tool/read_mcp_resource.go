package tool

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

var readResourceDefinition = described{name: fact.ReadMCPResource}

type readResource struct{ from func() Resources }

type readResourceArgs struct{ Server, URI string }

func (t *readResource) Definition() Definition { return readResourceDefinition.Get() }

// Request implements [Asker].
func (t *readResource) Request(_ context.Context, c Call) (*permit.Request, *Result) {
	args, bad := decode[readResourceArgs](c)
	if bad != nil {
		return nil, bad
	}
	return resourceRequest(t.from, c, args.Server)
}

func (t *readResource) Run(ctx context.Context, c Call) Result {
	args, bad := decode[readResourceArgs](c)
	if bad != nil {
		return *bad
	}
	return t.from().ReadResource(ctx, c.Permitted.Server, args.URI, c.Name)
}
