package session

import (
	"cmp"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// configure has the calls of a model send what the user's file models.json sets for it. The error is about
// that file.
func (e *turnEndpoint) configure(name string) error {
	if e.facts == nil {
		return nil
	}
	found, err := e.facts.catalogue.Find(e.vendor, e.spot(name).model)
	r := found.User.Request
	if err != nil || r == nil {
		return err
	}
	e.endpoint.Silence = cmp.Or(r.LongestSilence(), e.endpoint.Silence)
	e.endpoint.Params = model.ParamsOf(r, e.facts.catalogue.File())
	return nil
}
