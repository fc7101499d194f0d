package wire

import (
	"bytes"
	"encoding/json"
)

// This file has a method that this program adds to the protocol: session.permissions.offer says
// what an approval of an open permission request can allow beyond the one call, so that a client
// can show its user exactly what an approval grants. The approval then carries those rules.

// PermissionOfferParams is the parameters of session.permissions.offer.
type PermissionOfferParams struct {
	RequestID string `json:"requestId"`
}

// PermissionOffer is the result of session.permissions.offer. It is empty if the request is no longer
// open.
type PermissionOffer struct {
	// Rules are rules with which the same call is allowed and runs in the same place. If there are
	// none, only this one call can be approved.
	Rules []PermissionRule `json:"rules"`
	// The folders that rules without a path reach.
	Folders  []string `json:"folders,omitempty"` // the primary folder first
	Anywhere bool     `json:"anywhere,omitempty"`
	// Place is where a command would run: outside, read-only, workspace or workspace-git. Because is why that
	// is outside of the sandbox, in words for the user; "" if it needs no reason.
	Place   string `json:"place"`
	Because string `json:"because,omitempty"`
	Again   bool   `json:"again,omitempty"` // it would run a second time, because the sandbox stopped it
	Input   bool   `json:"input,omitempty"` // it is to type into a program that is running
	// LocationKey is the location that an approval for the location is stored for.
	LocationKey string `json:"locationKey,omitempty"`
	// LocationType says what it is: "repo", a git repository, or "dir", a folder outside of one.
	LocationType PermissionLocationKind `json:"locationType,omitempty"`
}

// OfferedAnswer is the parameters of session.permissions.handlePendingPermissionRequest with a field
// of this program.
type OfferedAnswer struct {
	PermissionAnswer
	// Rules are the rules of an approval for more than one call, in place of those that its result
	// names: the types of the protocol cannot hold every rule. nil: those of the result.
	Rules []PermissionRule `json:"rules"`
}

// UnmarshalJSON implements [json.Unmarshaler].
func (a *OfferedAnswer) UnmarshalJSON(b []byte) error {
	var ours struct {
		Rules []PermissionRule `json:"rules"`
	}
	// Few answers have rules, and nothing else is decoded as often in a turn.
	if bytes.Contains(b, []byte(`"rules"`)) {
		if err := json.Unmarshal(b, &ours); err != nil {
			return err
		}
	}
	a.Rules = ours.Rules
	return json.Unmarshal(b, &a.PermissionAnswer)
}
