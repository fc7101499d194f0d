package tool

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

var listResourcesDefinition = described{name: fact.ListMCPResources}

type listResources struct{ from func() Resources }

type listResourcesArgs struct{ Server, Cursor string }

func (t *listResources) Definition() Definition { return listResourcesDefinition.Get() }

// Request implements [Asker].
func (t *listResources) Request(_ context.Context, c Call) (*permit.Request, *Result) {
	args, bad := decode[listResourcesArgs](c)
	if bad != nil {
		return nil, bad
	}
	return resourceRequest(t.from, c, args.Server)
}

func (t *listResources) Run(ctx context.Context, c Call) Result {
	args, bad := decode[listResourcesArgs](c)
	if bad != nil {
		return *bad
	}
	return t.from().ListResources(ctx, c.Permitted.Server, args.Cursor)
}
