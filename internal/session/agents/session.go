package agents

import (
	"context"
	"iter"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Session is the interface of [Agents] to their session. The methods with a context are not called on
// the session's goroutine. The other methods beside those of the Recorder are called on it, or while
// the session is opened.
type Session interface {
	state.Recorder
	// Open returns nil, or the error of a session that closes.
	Open() error
	// Run returns a channel that is closed when the run under way has ended, nil if the session is
	// idle, and whether that run only waits for sub-agents.
	Run() (ended <-chan struct{}, awaits bool)
	// Converse makes the conversation of a sub-agent that starts in an idle session; model is that of
	// its calls, "" for the session's. It records nothing.
	Converse(b *Subagent, model string) Worker
	// Elsewhere reports whether the calls of a model go to another provider than those of the session,
	// and whether they do because the user's configuration names the model.
	Elsewhere(model string) (elsewhere, named bool)
	// Follow starts what the main agent brings, and ends what the one before has brought.
	Follow(main agent.Definition)
	// Finish ends the calls of clients' tools that a sub-agent has left without a recorded result. why is
	// why its work has failed, nil if it has not.
	Finish(agentID string, why error)
	// FinishesLater reports whether the next claim closes, in the log, what is open now.
	FinishesLater() bool

	// Read returns the events of the log from a number on; the first event is 1.
	Read(ctx context.Context, from uint64) iter.Seq2[eventlog.Record, error]
	// CheckModel returns nil for a model that sub-agents can have, as far as the provider says that
	// before the first call. [fault.NotFound] if the provider has no such model.
	CheckModel(ctx context.Context, name string) error
	// Listed returns the models that the provider of the session lists; none if it has no list, or does not answer
	// soon.
	Listed(ctx context.Context) []agent.Listed
	// Delegates returns nil if the main agent is offered the tool that starts sub-agents, else
	// [fault.Invalid]. It may ask the provider for the window of the model.
	Delegates(ctx context.Context) error
	// Send sends the session a message and returns its id, with m.Wait at the end of the message's run.
	Send(ctx context.Context, m wire.Send) (string, error)
}

// Worker is a conversation of an agent, from its first turn to its end. A sub-agent that continues has
// another one. Emit and the function that Begin returns are called on any goroutine, Close on that of the
// function, and the others on the session's.
type Worker interface {
	// Delegate is [Session].Converse for a sub-agent that starts in this conversation. They share what a
	// run passes on, such as its budget.
	Delegate(b *Subagent, model string) Worker
	// Model returns the model that the calls begin with; "" if only the provider knows.
	Model() string
	// Begin starts what the agent's definition brings. work holds the conversation and returns when that
	// has ended. It is called once, and then Close, whatever has happened.
	Begin() (work func() turn.Outcome)
	Close()
	// Await starts the run that waits for sub-agents, in an idle session.
	Await()
	// Stop ends the conversation and returns at once. Stopped reports whether that has happened.
	Stop()
	Stopped() bool
	// Spent returns how many tokens, and how many calls of tools, the conversation has used.
	Spent() (tokens, calls int64)
	// Emit sends an ephemeral event of the conversation, unless it was stopped.
	Emit(event wire.Data)
}

// Files are the agents found in files; package discovery has them. Agents is called on the session's
// goroutine, Search and SearchAgain on others, and any goroutine may call the rest.
type Files interface {
	// Agents returns the agents that were found last. The caller does not modify them.
	Agents() []agent.Definition
	// Search searches the files, unless that has happened; SearchAgain does in any case.
	Search(ctx context.Context) error
	SearchAgain(ctx context.Context) error
	// AgentProblems returns what is wrong with files of agents.
	AgentProblems() (warnings, errors []string)
}
