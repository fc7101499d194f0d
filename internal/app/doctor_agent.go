package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
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
	ctx, cancel := context.WithTimeout(ctx, checkWait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		f.Is = "the address is not valid"
		return f
	}
	client := *wiring.HTTPClient(cfg)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	defer client.CloseIdleConnections()
	begin := time.Now()
	resp, err := client.Do(req)
	if err != nil {
		var outer *url.Error // its text repeats the address
		if errors.As(err, &outer) {
			err = outer.Err
		}
		f.Is, f.Next = fmt.Sprintf("%s: %v", config.ShowURL(address), err), f.Next+"; is the agent running?"
		return f
	}
	_ = resp.Body.Close() // nothing of it was read
	took := time.Since(begin).Round(time.Millisecond)
	f.Grade, f.Next = cli.Good, ""
	f.Is = fmt.Sprintf("%s answered in %v; it is used as the model", config.ShowURL(address), took)
	return f
}
