package ledger

import "github.com/sidestick-dev/sidestick/internal/wire"

// Raised is the limit for AI credits of a session after an answer; 0 for none. The answer fits: it names what its action
// needs.
func Raised(a wire.LimitAnswer, limit float64) float64 {
	switch a.Action {
	case wire.LimitAdd:
		return limit + *a.AdditionalAiCredits
	case wire.LimitSet:
		return *a.MaxAiCredits
	}
	return 0
}

// CreditsChanged is the event that a session has another limit for its AI credits; 0 is none.
func CreditsChanged(limit float64) *wire.LimitsChanged {
	return &wire.LimitsChanged{SessionLimits: CreditsConfig(limit)}
}

// CreditsConfig is such a limit in the protocol's form, nil for none.
func CreditsConfig(limit float64) *wire.LimitsConfig {
	if limit <= 0 {
		return nil
	}
	return &wire.LimitsConfig{MaxAiCredits: &limit}
}
