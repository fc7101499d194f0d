package session

import (
	"cmp"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/known"
)

// configure has the calls of a model send what the user's file models.json sets for it. The error is about
// that file.
func (e *turnEndpoint) configure(name string) error {
	if e.facts == nil {
		return nil
	}
	return ApplyRequest(&e.endpoint, e.facts.catalogue, e.vendor, e.spot(name).model)
}

// ApplyRequest has the calls to an endpoint send what the user's file models.json sets for a model: its name on the wire, and
// that of its vendor, "" if package known has none. The error is about that file.
func ApplyRequest(ep *model.Endpoint, catalogue *known.Catalogue, vendor, wireModel string) error {
	found, err := catalogue.Find(vendor, wireModel)
	r := found.User.Request
	if err != nil || r == nil {
		return err
	}
	ep.Silence = cmp.Or(r.LongestSilence(), ep.Silence)
	if r.Sends() {
		ep.Params = &model.Params{
			Temperature: r.Temperature, TopP: r.TopP, MinP: r.MinP, TopK: r.TopK, Seed: r.Seed,
			PresencePenalty: r.PresencePenalty, FrequencyPenalty: r.FrequencyPenalty, RepeatPenalty: r.RepeatPenalty,
			Extra: r.ExtraBody, From: catalogue.File(),
		}
	}
	return nil
}
