package wiring

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/catalog"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/keys"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/plugin"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/session/toolsearch"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// Home is a set of sessions with what belongs to them: their store, keys, provider, rules, and the files of the user's
// folder that [config.Config.Home] names.
type Home struct {
	Config   config.Config
	Provider provider.Provider // of sessions that bring none of their own
	Sessions *registry.Registry

	keys *keys.Store
}

// allowed is what sessions of a home may do.
type allowed struct {
	rules    permit.Rules
	confined approval.Sandbox
}

// limitsOf reads what the sessions of a home may do, and checks what else of a configuration can only be wrong in a
// home. It opens nothing that is kept. Errors are [cli.UsageError].
func limitsOf(cfg config.Config, sys cli.System, adjust Adjust) (a allowed, err error) {
	if err := cmp.Or(CheckAgentModel(cfg), checkFallback(cfg, sys, adjust.Secrets)); err != nil {
		return a, err
	}
	if a.rules, err = permissions(cfg); err != nil {
		return a, cli.NewUsageError(err)
	}
	adjust.rules(&a.rules)
	if a.confined, err = confinement(cfg, adjust.Sandbox); err != nil {
		return a, cli.NewUsageError(err)
	}
	return a, nil
}

// open opens the home of a configuration. It starts nothing.
func (p *Process) open(cfg config.Config, a allowed) (*Home, error) {
	folder, fsys := cli.Absolute(cfg.Home.Value), p.sys.FS
	sessions, list, err := p.places(cfg)
	if err != nil {
		return nil, err
	}
	store, err := files.Open(files.Options{Root: sessions, FS: fsys, Sync: durability(cfg.Durability.Value), Logger: p.Logs})
	if err != nil {
		return nil, err
	}
	h := &Home{Config: cfg, keys: Keys(cfg, p.sys, p.secrets)}
	h.Provider = replaying(Provider(cfg, h.keys), p.tape.Player)
	a.confined.Works = func() approval.Works { return works(p.sandboxes, p.adjust.AskFirst) }
	h.Sessions = registry.New(registry.Options{
		// Of the process.
		Version: cli.Version(), Model: p.models, Facts: p.facts, FS: fsys, Logger: p.Logs, Tape: p.tape, Observe: p.observers(), Trace: p.trace(), RunScript: runScript,
		Programs: sync.OnceValue(func() []string { return prompt.Programs(exec.LookPath) }),
		// Where things are.
		Store: store, Home: folder, UserHome: userHome(), Cwd: startedIn(), Permissions: ApprovalsPath(folder),
		Unkept: p.adjust.Unsaved, Catalog: catalog.Options{Path: list}, Clone: plugin.Git(os.Environ()),
		NoClaudeHome: cfg.ClaudeInstructions.Value == "off", InstructionDirectories: instructionFolders(cfg),
		// Models.
		Provider: h.Provider, Named: named(cfg, h.keys, p.tape.Player), Copilot: replaying(Copilot(cfg), p.tape.Player),
		KeysAt: keysAt(h.keys), Fallback: cfg.FallbackModels(), NoWebSockets: !cfg.WebSockets.Value,
		// Tools.
		Tools: Toolbox(cfg, p.sandboxes, p.Logs), Builtin: func() []tool.Definition { return Definitions(cfg) }, ToolSet: cfg.ToolSet.Value, ToolSearch: toolSearch(cfg),
		MCP: serversOf(cfg), MCPApps: appsEnabled(),
		Subagents: limits(cfg.Subagents), AgentModels: cfg.Subagents.ModelsByAgent(), WatchCalls: cfg.RepeatedCalls.Value == "stop", Ledger: p.adjust.Ledger,
		// What sessions may do, and what nobody may see.
		Rules: a.rules, Sandbox: a.confined, Secrets: secretVariables(cfg), Redactor: p.secrets,
		IdleTimeout: cfg.IdleTimeout.Value, UserLeaves: p.adjust.UserLeaves,
	})
	return h, nil
}

// instructionFolders are the user's further folders of instructions.
func instructionFolders(cfg config.Config) (folders []string) {
	for folder := range strings.SplitSeq(cfg.InstructionDirs.Value, ",") {
		if folder = strings.TrimSpace(folder); folder != "" {
			folders = append(folders, folder)
		}
	}
	return folders
}

// limits are the limits on sub-agents.
func limits(s config.Subagents) agent.Limits {
	return agent.Limits{Depth: s.Depth.Value, Running: s.Running.Value, Total: s.Total.Value}
}

// toolSearch says whether, and from how many on, tools are deferred; the configuration has been checked.
func toolSearch(cfg config.Config) toolsearch.Settings {
	n, chosen, _ := cfg.DeferAbove()
	s := toolsearch.Settings{Off: cfg.ToolSearch.Value == config.ToolSearchOff}
	if chosen {
		s.Threshold = &n
	}
	return s
}

// userHome is the user's home directory, "" if the system does not know it.
func userHome() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return home
}

// startedIn is the folder that the program was started in, "" if that was removed; a session can
// still name its own.
func startedIn() string {
	cwd, err := os.Getwd()
	if err != nil {
		return ""
	}
	return cwd
}

// sessionsPath is the folder that holds the logs of the sessions.
func sessionsPath(cfg config.Config) string {
	return filepath.Join(cli.Absolute(cfg.Home.Value), "session-state")
}

// ApprovalsPath is the file that holds the approvals that outlast a session.
func ApprovalsPath(home string) string { return filepath.Join(home, "permissions.json") }

// catalogPath is the file that holds the list of the sessions.
func catalogPath(cfg config.Config) string {
	return filepath.Join(cli.Absolute(cfg.Home.Value), "catalog.db")
}

// durability is the store's value for a setting that config has checked.
func durability(name string) files.Sync {
	switch name {
	case "always":
		return files.SyncAlways
	case "os":
		return files.SyncOS
	}
	return files.SyncTurn
}
