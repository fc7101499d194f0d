package session

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// interruptOrphans ends a run that waits for an answer nobody attached can give,
// if the client that comes back does not want it continued.
func (s *Session) interruptOrphans(ctx context.Context, cfg wire.Config) error {
	var ended <-chan struct{}
	err := s.do(ctx, func() error {
		if len(s.clients) == 0 && s.run != nil && s.waitsForClients() && !cfg.ContinuePendingWork {
			s.run.stop()
			ended = s.run.ended
		}
		return nil
	})
	if err != nil || ended == nil {
		return err
	}
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return fault.New(fault.Unavailable, "session.resume", s.id, "an interrupted run has not ended yet: %w", ctx.Err())
	}
}

// closeSummary ends a compaction that a process has left open that died.
func (s *Session) closeSummary() error {
	if !s.state.Summarizing || s.compact.running != nil {
		return nil
	}
	why := "the process that summarized the conversation has ended"
	return s.log.record(&wire.CompactionComplete{Error: &why})
}

// closeOrphans completes what a process that died left open: tool calls that were
// started or waiting, their requests, and the turn around them, in every thread. Those
// of sub-agents are closed first, because a call of the main agent waits for them.
func (s *Session) closeOrphans() error {
	if err := s.closeAgentOrphans(); err != nil {
		return err
	}
	return s.closeThread(&s.state.Main, s.closeCommand)
}

// closeAgentOrphans is closeOrphans for the threads of sub-agents alone.
func (s *Session) closeAgentOrphans() error {
	for _, t := range s.state.Threads()[1:] {
		if err := s.closeThread(t, nil); err != nil {
			return err
		}
	}
	return nil
}

// closeThread completes what is open in a thread. more, which may be nil, adds events
// before the end of the turn.
func (s *Session) closeThread(t *state.Thread, more func() []wire.Data) error {
	var events []wire.Data
	for id, q := range t.Permissions {
		events = append(events, &wire.PermissionCompleted{
			RequestID: id, ToolCallID: wire.Optional(q.ToolCallID), Result: approval.Result(permit.Answer{Outcome: permit.Canceled}),
		})
	}
	for _, c := range t.Open() {
		code := string(tool.Interrupted)
		if !c.Started {
			events = append(events, &wire.ToolStart{ToolCallID: c.ID, ToolName: c.Name})
		}
		events = append(events, &wire.ToolComplete{
			ToolCallID: c.ID, Error: &wire.ToolError{Message: tool.TextInterrupted, Code: &code},
		})
	}
	if more != nil {
		events = append(events, more()...)
	}
	if t.OpenTurn != "" {
		events = append(events, &wire.AssistantTurnEnd{TurnID: t.OpenTurn})
	}
	if len(events) == 0 {
		return nil
	}
	return s.log.recordFor(t.AgentID, events...)
}

// closeCommand ends a person's command that is open: it was cut short, or not even
// begun.
func (s *Session) closeCommand() (events []wire.Data) {
	if s.state.Command == (state.UserCommand{}) {
		return nil
	}
	id, code, why := s.state.Command.ID, string(tool.Interrupted), tool.TextInterrupted
	if id == "" {
		id, why = wire.NewID(), "It was not run: the process ended first."
		events = append(events, &wire.ToolUserRequested{ToolCallID: id, ToolName: shellTool, Arguments: commandArgs(s.state.Command.Text)})
	}
	return append(events, &wire.ToolComplete{
		ToolCallID: id, Error: &wire.ToolError{Message: why, Code: &code}, IsUserRequested: new(true),
	})
}
