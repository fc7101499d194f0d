package session

import (
	"cmp"
	"context"

	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/canvas"
	"github.com/sidestick-dev/sidestick/internal/session/files"
	"github.com/sidestick-dev/sidestick/internal/session/journal"
	"github.com/sidestick-dev/sidestick/internal/session/metrics"
	"github.com/sidestick-dev/sidestick/internal/session/offer"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/toolsearch"
	"github.com/sidestick-dev/sidestick/internal/session/usershell"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// recorder is a session as all packages below it see it. The hosts of the packages embed it and
// add what only that package needs.
type recorder struct {
	*journal.Journal
	s *Session
}

// logHost is a session as its journal sees it; it implements [journal.Host].
type logHost struct{ s *Session }

func (h logHost) Recorded(batch []wire.Event) {
	for _, e := range batch {
		if e.Type == "tool.execution_complete" {
			h.s.tools.external.Recorded(e.AgentID, wire.Raw(e.Data).Get("toolCallId").Text())
		}
	}
	updateLists(h.s)
	h.s.life.glance()
	if h.s.run == nil && batch[0].Type != "session.start" { // of which lists learn as created
		h.s.home.Registrar.Publish(lifecycleOf(h.s, wire.LifecycleUpdated))
	}
}

func (h logHost) Carried() { h.s.workspace.Write() }

func (h logHost) Settle(ctx context.Context) { h.s.workspace.Settle(ctx) }

func (h logHost) Claimed(news bool) error {
	if news {
		h.s.permissions.Load()
	}
	if h.s.run != nil { // [thread.draft] closes what is open then
		return nil
	}
	return orphansOf(h.s).finish()
}

func (h logHost) Deleted() {
	h.s.life.discard = true
	h.s.life.startClosing()
}

func (h logHost) Busy() bool { return h.s.run != nil || h.s.compact.Busy() }

func (h logHost) LogBroken(why error) {
	if h.s.run != nil {
		h.s.run.cancel(why)
	}
}

func (h logHost) ClaimLost(why error) (run bool) {
	h.LogBroken(why)
	h.s.compact.GiveUp()
	return h.s.run != nil
}

// finishesLater reports whether the next claim closes, in the log, what is open now.
func finishesLater(s *Session) bool {
	return s.log.Unfinished() && s.log.Broken() == nil && !s.life.discard
}

// Workspace returns what the session keeps beside its log.
func (s *Session) Workspace() *files.Workspace { return s.workspace }

// CanvasesOf returns the canvases of a session.
func CanvasesOf(s *Session) *canvas.Canvases { return s.config.canvases }

// callHost is a session as calls of clients' tools see it; it implements [clienttools.Session].
type callHost struct{ recorder }

func (h callHost) Builtin(name string) bool { return h.s.tools.builtin(name) }

func (h callHost) Model() string { return h.s.Settings().currentModel() }

func (h callHost) Trace() string { return h.s.run.toolTrace() }

// Shell returns the commands of the user.
func (s *Session) Shell() *usershell.Shell { return s.tools.user }

// shellHost is a session as its user's commands see it; it implements [usershell.Session].
type shellHost struct{ recorder }

func (h shellHost) Tool() tool.Tool { return h.s.tools.shell() }

func (h shellHost) Starter() func(shell.Script, func(output string)) (*shell.Running, error) {
	return h.s.tools.own().Start
}

func (h shellHost) Shells() *shell.Shells {
	if h.s.tools.builtins == nil { // and none is needed to say so
		return nil
	}
	return h.s.tools.builtins.Shells
}

func (h shellHost) Keeper() func(tool.Result) tool.Result {
	large := h.s.config.largeOutput
	return func(res tool.Result) tool.Result { return spill(h.s, large, res) }
}

// Metrics returns what the session has cost, and how large its next request is.
func (s *Session) Metrics() *metrics.Metrics { return s.metrics }

// Window measures what fills the window of the session's model. It may ask the provider for its list of models.
func (s *Session) Window(ctx context.Context) (metrics.Window, error) {
	limit, err := s.Settings().Window(ctx, "") // which finds out about the tools, too
	if err != nil {
		return metrics.Window{}, err
	}
	return s.metrics.Window(ctx, limit.Tokens, limit.Source)
}

// metricsHost is a session as its metrics see it; it implements [metrics.Session].
type metricsHost struct{ recorder }

func (h metricsHost) Model() string { return h.s.Settings().currentModel() }

func (h metricsHost) Limit(last int64) int64 {
	return cmp.Or(h.s.config.providers.Own.ContextTokens, last, provider.DefaultContextTokens)
}

func (h metricsHost) Extension() bool {
	return provider.ExtensionOf(h.s.log.State().Model, h.s.config.providers.Own) != ""
}

func (h metricsHost) Offered() []offer.Chosen {
	return h.s.tools.choose(h.s.tools.offeredRole(), &toolsearch.Offers{}).Chosen()
}

func (h metricsHost) Small() bool { return h.s.tools.offeredRole().small }

func (h metricsHost) Sections(programs []string) []prompt.Section {
	return prompt.Sections(h.s.opening(programs, h.s.tools.offeredRole(), &toolsearch.Offers{}).env)
}

func (h metricsHost) Programs() []string { return h.s.home.programs() }
