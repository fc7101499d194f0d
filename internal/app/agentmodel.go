package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
)

// agentModel is the model that is configured if it is an agent, else "".
func agentModel(p config.Provider) string {
	if _, ok := extensions.Address(p.Model); ok {
		return p.Model
	}
	return ""
}

// checkAgentModel refuses an agent that cannot be called, before anything is made.
func checkAgentModel(cfg config.Config) error {
	address, ok := extensions.Address(cfg.Provider().Model)
	if !ok {
		return nil
	}
	if err := extensions.CheckAddress(address, false); err != nil {
		return usageError{fmt.Errorf("%s: %s", cfg.Model.From, fault.Message(err))}
	}
	return nil
}

// checkAgentOf finds out whether an agent can be reached. It is not asked anything,
// for it may act: agents answer GET, which is where a browser comes that has allowed
// one, and whatever this one answers, it is there.
func checkAgentOf(ctx context.Context, cfg config.Config, address string) finding {
	f := finding{about: "agent", next: "the address is from " + cfg.Model.From}
	if err := checkAgentModel(cfg); err != nil {
		f.is = complaint(err)
		return f
	}
	ctx, cancel := context.WithTimeout(ctx, checkWait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		f.is = "its address cannot be called"
		return f
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	begin := time.Now()
	resp, err := client.Do(req)
	if err != nil {
		var outer *url.Error // its text repeats the address
		if errors.As(err, &outer) {
			err = outer.Err
		}
		f.is, f.next = fmt.Sprintf("%s: %v", address, err), f.next+"; is the agent running?"
		return f
	}
	_ = resp.Body.Close() // nothing of it was read
	took := time.Since(begin).Round(time.Millisecond)
	f.grade, f.next = good, ""
	f.is = fmt.Sprintf("%s is there, in %v; it takes the place of a model", address, took)
	return f
}
