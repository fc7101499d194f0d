package app

import (
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/known"
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
	r := s.requestOf(source, name)
	text, err := json.Marshal(r)
	if r == nil || err != nil { // it was read from JSON
		return nil
	}
	f := cli.Check{About: "request", Grade: cli.Good, Is: "models.json sets " + timeline.OneLine(string(text), shownRequest)}
	ep := source.Provider.Endpoint
	ep.Params = model.ParamsOf(r, s.facts.File())
	if err := client.CheckParams(ctx, ep, name); err != nil {
		f.Grade, f.Is, f.Next = cli.Bad, fault.Message(err), "correct the file: sidestick run ends with the same message"
	}
	return []cli.Check{f}
}

// requestOf is what the user's file sets for the calls of a model, nil for nothing.
func (s *survey) requestOf(source *wiring.Source, name string) *known.Request {
	found, err := s.facts.Find(known.ProviderOf(source.Vendor, source.Provider.Endpoint.BaseURL), name)
	if err != nil {
		return nil // checkModelsFile reports it
	}
	return found.User.Request
}
