package session

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"time"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/plugin"
	"github.com/sidestick-dev/sidestick/internal/quarantine"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/session/discovery"
	"github.com/sidestick-dev/sidestick/internal/session/hook"
	"github.com/sidestick-dev/sidestick/internal/session/ledger"
	"github.com/sidestick-dev/sidestick/internal/session/offer"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/servers"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/session/taped"
	"github.com/sidestick-dev/sidestick/internal/session/toolsearch"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Home is what the sessions of one home have in common. All of them share one value, which nobody changes once
// there is a session. Fields with the name of an option of package registry have the
// value of that option, and are explained there.
type Home struct {
	// Registrar is told what others have to know of a session.
	Registrar Registrar

	Version     string
	Model       *model.Client
	Copilot     provider.Provider
	ToolSet     string
	ToolSearch  toolsearch.Settings
	Tools       func(tool.Host) Toolbox
	Builtin     func() []tool.Definition // never nil, and cheap to call again
	Subagents   agent.Limits
	AgentModels map[string]string
	Nudges      int
	WatchCalls  bool
	UserLeaves  bool
	Rules       permit.Rules
	Sandbox     approval.Sandbox
	Folder      string // the folder of the configuration; empty for none
	UserHome    string
	Programs    func() []string // may be nil
	Redactor    *obs.Redactor
	Secrets     []string
	RunScript   func(context.Context, shell.Script) (shell.Outcome, error)
	Resolve     func(path string) string // never nil
	Cwd         string
	FS          vfs.FS
	IdleTimeout time.Duration
	Observe     []Observer
	Trace       func(session, run, traceparent string) string // may be nil
	Tape        taped.Tape
	Ledger      ledger.Ledger // may be nil
	Logger      *slog.Logger

	Grants      *approval.Grants
	Paths       approval.Paths
	Finder      *discovery.Finder
	HookFiles   *hook.Files
	Quarantine  *quarantine.Store // what commands have made and what was moved aside
	Models      *provider.Models
	Plugins     *plugin.Store
	ServerFiles *mcp.Files
	MCP         servers.Home  // what the MCP servers of all sessions have in common
	Sheets      *offer.Sheets // what the tools of a source look like, kept for all sessions
}

// Observer gets the events of a session from its creation or resumption on, in order, on a goroutine of its own.
// events end with the session; an observer may return before. The registry waits for it when it closes. A slow
// one holds up nobody: it gets persisted events from storage, and may miss others.
type Observer func(ctx context.Context, session string, events iter.Seq2[eventlog.Record, error])

// Registrar is what sessions tell the registry that they belong to. Its methods are safe for concurrent use and
// wait for nothing.
type Registrar interface {
	// Publish notifies clients that a session has changed.
	Publish(change wire.Lifecycle)
	// Put changes what lists of sessions say of a session; size is that of its log in bytes.
	Put(id string, o state.Outline, name string, size int64, modified time.Time)
	// Left says that a session has left memory.
	Left(s *Session)
	// Hold counts one more goroutine of a session, which the registry waits for when it closes, and Release one
	// less. Hold is called only where the registry still counts something of the session.
	Hold()
	Release()
}

// recordedIn is the folder that a session is recorded to work in when it is opened in folder: none, if nobody
// has said where it works. It is called before the session's goroutine starts.
func recordedIn(s *Session, folder string) string {
	if s.log.State().Cwd == "" {
		return ""
	}
	return folder
}

// withoutSecrets returns the error of a configuration without the credentials in it: the
// message about a base URL repeats the URL.
func (h *Home) withoutSecrets(cfg wire.Config, err error) error {
	if err == nil {
		return nil
	}
	secrets := h.Redactor.Child()
	h.Models.AddSecrets(cfg, secrets)
	var f *fault.Error
	if errors.As(err, &f) && f.Err != nil {
		if text := f.Err.Error(); secrets.Redact(text) != text {
			f.Err = errors.New(secrets.Redact(text))
		}
	}
	return err
}
