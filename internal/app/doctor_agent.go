package app

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
)

// checkAgentOf finds out whether an agent can be reached. It sends no message, because the
// agent could act on it, but a GET, as browsers do. Any answer shows that it is there.
func checkAgentOf(ctx context.Context, cfg config.Config, address string) cli.Check {
	f := cli.Check{About: "agent", Next: "the address is from " + cfg.Model.From}
	if err := wiring.CheckAgentModel(cfg); err != nil {
		f.Is = cli.Message(err)
		return f
	}
	begin := time.Now()
	if _, err := reach(ctx, cfg, http.MethodGet, address); err != nil {
		f.Is, f.Next = fmt.Sprintf("%s: %v", config.ShowURL(address), err), f.Next+"; is the agent running?"
		return f
	}
	took := time.Since(begin).Round(time.Millisecond)
	f.Grade, f.Next = cli.Good, ""
	f.Is = fmt.Sprintf("%s answered in %v; it is used as the model", config.ShowURL(address), took)
	return f
}
