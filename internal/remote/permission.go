package remote

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Offer returns what an approval of an open permission request can allow. A server that cannot say it
// offers an approval for this one call.
func (s *Session) Offer(ctx context.Context, requestID string) (o approval.Offer, err error) {
	var got wire.PermissionOffer
	err = s.do(ctx, "session.permissions.offer", map[string]any{"requestId": requestID}, &got)
	if lacks(err) {
		return o, nil
	}
	if err != nil {
		return o, err
	}
	o.Rules = permit.FromWire(got.Rules, "")
	if len(o.Rules) != len(got.Rules) {
		o.Rules = nil // what cannot be shown is not offered
	}
	if o.Folders.Anywhere = got.Anywhere; len(got.Folders) > 0 {
		o.Folders.Primary, o.Folders.More = got.Folders[0], got.Folders[1:]
	}
	o.Placed = permit.Placed{Place: permit.PlaceNamed(got.Place), Because: got.Because}
	o.Again, o.Input = got.Again, got.Input
	o.Location = wire.PermissionLocation{LocationKey: got.LocationKey, LocationType: got.LocationType}
	return o, nil
}

// Permit answers a permission request. It reports false if no such request is open.
func (s *Session) Permit(ctx context.Context, requestID string, a permit.Answer) (ok bool, err error) {
	params := map[string]any{"requestId": requestID, "result": decision(a)}
	if len(a.Rules) > 0 {
		params["rules"] = permit.ToWire(a.Rules)
	}
	var done wire.Success
	err = s.do(ctx, "session.permissions.handlePendingPermissionRequest", params, &done)
	return done.Success, err
}

// decision is an answer in the protocol's form, without its rules.
func decision(a permit.Answer) map[string]any {
	none := map[string]any{"kind": "commands", "commandIdentifiers": []string{}}
	switch {
	case a.Outcome == permit.Rejected:
		return map[string]any{"kind": "reject", "feedback": a.Feedback}
	case a.Outcome != permit.Approved:
		return map[string]any{"kind": "user-not-available"}
	case a.Scope == permit.ForSession:
		return map[string]any{"kind": "approve-for-session", "approval": none}
	case a.Scope == permit.ForLocation:
		return map[string]any{"kind": "approve-for-location", "approval": none, "locationKey": a.Location}
	}
	return map[string]any{"kind": "approve-once"}
}

// AnswerForm answers an elicitation. It reports false if no such elicitation is open.
func (s *Session) AnswerForm(ctx context.Context, requestID string, a wire.ElicitationAnswer) (ok bool, err error) {
	var done wire.Success
	err = s.do(ctx, "session.ui.handlePendingElicitation", map[string]any{"requestId": requestID, "result": a}, &done)
	return done.Success, err
}
