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
	_ = s.log.Post(context.Background(), func() error {
		settled = s.run == nil && !s.compact.Busy() && len(s.log.State().Queue) == 0
		messages, err := s.log.State().Main.All(s.log.State().Cuts(), s.History().Records(context.Background())())
		folded = fmt.Sprintf(
			"mode %q said %q model %q effort %q title %q name %v turns %d open %q command %q %v approved %v asked %v handed out %v cwd %s %v\n",
			s.log.State().Mode, s.log.State().MessageMode, s.log.State().Model, s.log.State().ReasoningEffort, s.log.State().Title, s.log.State().Name, s.log.State().Turns, s.log.State().Main.OpenTurn, s.log.State().Command, s.log.State().Commands, s.log.State().Approved,
			slices.Sorted(maps.Keys(s.log.State().Permissions())), slices.Sorted(maps.Keys(s.log.State().External())), s.log.State().Cwd, err)
		for _, m := range state.Transcript("", messages) {
			folded += fmt.Sprintf("%s: %s %v %v %s\n", m.Role, m.Content, m.Parts, m.ToolCalls, m.ToolCallID)
		}
		return err
	})
	return folded, settled
}
