package session

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// Folded is what a session's log has come to: what the model would read, and what else
// a resume has to find again. settled reports whether nothing is under way.
func (s *Session) Folded() (folded string, settled bool) {
	_ = s.post(context.Background(), func() error {
		settled = s.run == nil && s.compacting == nil && len(s.pending) == 0
		entries, err := s.conversation.all(s.log.Read(1))
		folded = fmt.Sprintf(
			"mode %q said %q model %q effort %q title %q name %v turns %d open %q command %v approved %v asked %v handed out %v cwd %s %v\n",
			s.setMode, s.saidMode, s.history.model, s.effort, s.title, s.name, s.turns, s.openTurn, s.command, s.approved,
			slices.Sorted(maps.Keys(s.permissions)), slices.Sorted(maps.Keys(s.external)), s.cwd, err)
		for _, m := range transcript("", entries) {
			folded += fmt.Sprintf("%s: %s %v %v %s\n", m.Role, m.Content, m.Parts, m.ToolCalls, m.ToolCallID)
		}
		return err
	})
	return folded, settled
}
