package operate

import "github.com/sidestick-dev/sidestick/internal/permit"

// Unruled says what holds for everything that no rule covers.
func Unruled(r permit.Rules, s permit.Sandboxing) string {
	const asked = "you are asked about everything that no rule allows"
	switch {
	case r.All:
		return "everything that is not denied is allowed (" + r.AllBy + ")"
	case s.On && s.AutoAllow && s.Workspace:
		return asked + ", except for commands that stay in the sandbox"
	}
	return asked
}
