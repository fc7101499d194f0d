package session

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/session/state"
)

// Folded is what a session's log has come to: what the model would read, and what else
// a resume has to find again. settled reports whether nothing is under way.
func (s *Session) Folded() (folded string, settled bool) {
	_ = s.post(context.Background(), func() error {
		settled = s.run == nil && !s.compact.Busy() && len(s.state.Queue) == 0
		messages, err := s.state.Main.All(s.state.Cuts(), s.History().Records(context.Background())())
		folded = fmt.Sprintf(
			"mode %q said %q model %q effort %q title %q name %v turns %d open %q command %q %v approved %v asked %v handed out %v cwd %s %v\n",
			s.state.Mode, s.state.MessageMode, s.state.Model, s.state.ReasoningEffort, s.state.Title, s.state.Name, s.state.Turns, s.state.Main.OpenTurn, s.state.Command, s.state.Commands, s.state.Approved,
			slices.Sorted(maps.Keys(s.state.Permissions())), slices.Sorted(maps.Keys(s.state.External())), s.state.Cwd, err)
		for _, m := range state.Transcript("", messages) {
			folded += fmt.Sprintf("%s: %s %v %v %s\n", m.Role, m.Content, m.Parts, m.ToolCalls, m.ToolCallID)
		}
		return err
	})
	return folded, settled
}
