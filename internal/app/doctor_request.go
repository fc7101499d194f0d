package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/known"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// shownRequest bounds how much of a request's settings is shown, in cells of a terminal: the members of
// extraBody can be long.
const shownRequest = 200

// checkRequest says what the user's file sets for the calls of the model, and whether the dialect has that.
// Nothing is returned if the file sets nothing.
func (s *survey) checkRequest(ctx context.Context, client *model.Client, source *wiring.Source, name string, list []modelRow) []cli.Check {
	if name == "" && len(list) > 0 {
		name = list[0].ID
	}
	ep := source.Provider.Endpoint
	vendor := known.ProviderOf(source.Vendor, ep.BaseURL)
	found, err := s.facts.Find(vendor, name)
	r := found.User.Request
	if err != nil || r == nil { // checkModelsFile reports the error
		return nil
	}
	text, err := json.Marshal(r)
	if err != nil {
		return nil // it was read from JSON
	}
	f := cli.Check{About: "request", Grade: cli.Good, Is: "models.json sets " + timeline.OneLine(string(text), shownRequest)}
	if err = provider.ApplyRequest(&ep, s.facts, vendor, name); err == nil {
		err = client.CheckParams(ctx, ep, name)
	}
	if err != nil {
		f.Grade, f.Is, f.Next = cli.Bad, fault.Message(err), "correct the file: sidestick run ends with the same message"
	}
	return []cli.Check{f}
}

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
