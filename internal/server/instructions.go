package server

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

func instructionSources(ctx context.Context, c *conn, a *attachment, _ named) (any, error) {
	return c.largeAnswer(ctx, func() (any, error) {
		sources, err := a.client.Session().Discovery().Instructions(ctx)
		if err != nil {
			return nil, err
		}
		return encode(wire.InstructionSources{Sources: sources})
	})
}

func discoverInstructions(ctx context.Context, c *conn, p wire.InstructionsDiscover) (any, error) {
	return c.largeAnswer(ctx, func() (any, error) {
		sources, err := c.home().Sessions.Finder().Instructions(p.ProjectPaths, !is(p.ExcludeHostInstructions))
		if err != nil {
			return nil, err
		}
		return encode(wire.ServerInstructions{Sources: sources})
	})
}

func instructionPaths(_ context.Context, c *conn, p wire.InstructionPathsParams) (any, error) {
	paths, err := c.home().Sessions.Finder().InstructionPaths(p.ProjectPaths, !is(p.ExcludeHostInstructions))
	return wire.InstructionPaths{Paths: paths}, err
}
