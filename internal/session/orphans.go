package session

import (
	"context"
	"maps"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/agents"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/session/usershell"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// orphans is what a run has left open and nothing finishes: its process died, or no
// attached client can answer what it waits for. It belongs to the session's goroutine,
// except for interrupt.
type orphans struct{ s *Session }

func orphansOf(s *Session) orphans { return orphans{s} }

// interrupt ends a run that waits for an answer while no client is attached, if the
// client that attaches now does not want it continued. files are the agents of files.
func (o orphans) interrupt(ctx context.Context, cfg wire.Config, files []agent.Definition) error {
	ended, err := mailbox.Ask(ctx, o.s.log.Do, func() (<-chan struct{}, error) {
		if _, err := attaching(o.s).check(cfg, files); err != nil { // a client that is refused changes nothing
			return nil, err
		}
		if len(o.s.clients) > 0 || o.s.run == nil || !o.s.waitsForClients() || cfg.ContinuePendingWork {
			return nil, nil
		}
		o.s.agents.Stop()
		o.s.run.stop()
		return o.s.run.ended, nil
	})
	if err != nil || ended == nil {
		return err
	}
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return fault.New(fault.Unavailable, "session.resume", o.s.id, "an interrupted run has not ended yet: %w", ctx.Err())
	}
}

// finish closes all that may be open after another process has worked in the session,
// after a claim was lost, or after history was removed. It waits until removed history has
// left the conversation.
func (o orphans) finish() error {
	if !o.s.log.Unfinished() || o.s.log.State().Torn() {
		return nil
	}
	if err := o.closeSummary(); err != nil {
		return err
	}
	if err := o.close(); err != nil {
		return err
	}
	if err := o.lostRun(); err != nil {
		return err
	}
	o.s.log.SetUnfinished(false)
	return nil
}

// lostRun ends a run of which the log does not say that it has ended: its process died, or lost its claim. In a
// session of a user interface the run is held, as when the session is opened. The model goes on only when the
// user does.
func (o orphans) lostRun() error {
	switch {
	case o.s.run != nil || !o.s.log.State().Main.Unanswered:
		return nil
	case o.s.config.holds && !(queueHost{recorder{o.s.log, o.s}}).AnsweredByAgent():
		return o.s.queue.HoldLost()
	}
	return o.s.log.Record("", runEnded("The last run was cut off: its process ended, or another one took the session over."))
}

// closeSummary ends a compaction that a process left open when it died.
func (o orphans) closeSummary() error {
	if !o.s.log.State().Summarizing || o.s.compact.Busy() {
		return nil
	}
	return o.s.log.Record("", wire.CompactionLost(o.s.log.State().Attempt))
}

// close completes what a process that died left open: tool calls that were
// started or waiting, their requests, and the turn around them, in every thread. Those
// of sub-agents are closed first, because a call of the main agent waits for them.
func (o orphans) close() error {
	if err := o.closeAgents(); err != nil {
		return err
	}
	return o.closeThread(&o.s.log.State().Main, o.closeCommand)
}

// settle completes what the process before has left, as a session is opened.
func (o orphans) settle() error {
	if err := o.closeSummary(); err != nil {
		return err
	}
	closing := o.close
	if o.s.config.resumed { // the run finishes the calls of the main agent
		closing = o.closeOthers
	}
	if err := closing(); err != nil {
		return err
	}
	if err := o.lostCommands(); err != nil {
		return err
	}
	o.s.log.SetUnfinished(false)
	return nil
}

// lostCommands tells the model, once, of the commands that ran in the background and ended with the
// process before. Another process that has the session open may still have them.
func (o orphans) lostCommands() error {
	if len(o.s.log.State().Background) == 0 || o.s.log.OpenElsewhere() != "" {
		return nil
	}
	var events []wire.Data
	text := "<system_notification>\nThe process of this session has ended, and these background commands with it. Their shells and the rest of their output are gone. Start a command again only if it is still needed."
	for _, c := range o.s.log.State().Background {
		text += "\nshellId " + c.ShellID + ": " + c.Command
		info := &wire.SessionInfo{InfoType: wire.InfoCommandEnded, Message: "The command of shell " + c.ShellID + " ended with the process: " + c.Command}
		events = append(events, wire.WithJSON(info, wire.FieldEnded, wire.CommandEnd{ShellID: c.ShellID, ExitCode: lostCode}))
	}
	notice := &wire.SystemNotification{Content: text + "\n</system_notification>", Kind: wire.ShellNotice{ShellID: o.s.log.State().Background[0].ShellID}}
	return o.s.log.Record("", append(events, notice)...)
}

// lostCode is the exit code of a command that ended with its process: 128 plus SIGKILL.
const lostCode = 128 + 9

// closeOthers is close for all but the calls and the turn of the main agent, which the next run
// finishes.
func (o orphans) closeOthers() error {
	if err := o.closeAgents(); err != nil {
		return err
	}
	if events := o.closeCommand(); len(events) > 0 {
		return o.s.log.Record("", events...)
	}
	return nil
}

// closeAgents is close for the threads of sub-agents alone. Each sub-agent whose process died
// has failed, and the main agent is notified of the end of those that it does not know.
func (o orphans) closeAgents() error {
	for _, t := range o.s.log.State().Threads()[1:] {
		if o.s.agents.Live(t.AgentID) != nil {
			continue
		}
		if err := o.closeThread(t, nil); err != nil {
			return err
		}
	}
	for _, notice := range o.s.agents.Missed() {
		if err := o.s.log.Record("", notice); err != nil {
			return err
		}
	}
	return nil
}

// closeThread completes what is open in a thread. more, which may be nil, adds events
// before the end of the turn.
func (o orphans) closeThread(t *state.Thread, more func() []wire.Data) error {
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
	events = append(events, agents.Lost(t)...)
	if len(events) == 0 {
		return nil
	}
	return o.s.log.Record(t.AgentID, events...)
}

// closeCommand ends the commands of the user that are open: they were cut short, or one has
// not even begun.
func (o orphans) closeCommand() (events []wire.Data) {
	code := string(tool.Interrupted)
	end := func(id, why string) {
		events = append(events, &wire.ToolComplete{
			ToolCallID: id, Error: &wire.ToolError{Message: why, Code: &code}, IsUserRequested: new(true),
		})
	}
	for _, id := range slices.Sorted(maps.Keys(o.s.log.State().Commands)) {
		if !o.s.tools.user.Runs(id) {
			end(id, tool.TextInterrupted)
		}
	}
	if o.s.log.State().Command != "" {
		id := wire.NewID()
		events = append(events, &wire.ToolUserRequested{ToolCallID: id, ToolName: fact.Bash, Arguments: usershell.Arguments(o.s.log.State().Command)})
		end(id, "It was not run: the process ended first.")
	}
	return events
}

// asksAgain reports whether a call that a process left open waits for the user or for a client, who
// is asked again.
func asksAgain(t *state.Thread) bool {
	return slices.ContainsFunc(t.Open(), func(c state.Call) bool {
		does := fact.Of(c.Name).Does
		return t.OpenExtension() != "" || t.Waits(c.ID) || does == fact.Ask || does == fact.Plan
	})
}
