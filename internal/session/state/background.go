package state

import (
	"encoding/json"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// countBackground notes the beginning and the end of commands in the background.
func (s *State) countBackground(data wire.Raw) {
	var left wire.CommandLeft
	switch data.Get("infoType").Text() {
	case wire.InfoCommandLeft:
		if json.Unmarshal(data.Get(wire.FieldLeft), &left) != nil || left.ShellID == "" {
			return
		}
	case wire.InfoCommandEnded:
		left.ShellID = data.Get(wire.FieldEnded).Get("shellId").Text()
	default:
		return
	}
	s.Background = slices.DeleteFunc(slices.Clone(s.Background), func(c wire.CommandLeft) bool { return c.ShellID == left.ShellID })
	if left.Command != "" {
		s.Background = append(s.Background, left)
	}
}
