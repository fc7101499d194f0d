package ledger

import "github.com/sidestick-dev/sidestick/internal/wire"

// Raised is the limit after an answer; 0 for none. The answer fits: it names what its action
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
