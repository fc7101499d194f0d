package wiring

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/proctree"
	"github.com/sidestick-dev/sidestick/internal/quarantine"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/shell/effects"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Toolbox returns the function that makes the built-in tools of a session. The model
// gets them in this order. host starts their sandboxes.
func Toolbox(cfg config.Config, host *sandbox.Host, logger *slog.Logger) func(tool.Host) session.Toolbox {
	fetch, secrets := tool.WebFetch(tool.FetchOptions{}), secretVariables(cfg)
	store := Quarantine(cfg)
	rules, _ := permissions(cfg)          // an error is that of the runtime, which is not started then
	protected := rules.SandboxProtected() // some 300 names, the same in all sessions
	return func(h tool.Host) session.Toolbox {
		temp := filepath.Join(h.Dir(), "temp")
		boxes := host.Boxes(temp)
		shells := shell.New(shell.Options{Temp: temp, Drop: secrets, Keeper: proctree.Self(), Sandbox: boxes})
		servers := host.Boxes(filepath.Join(temp, "mcp"))
		guard := store.Guard(quarantine.Options{Session: filepath.Base(h.Dir()), Boxes: boxes, Servers: servers, Runs: effects.RepositoryRuns, Protected: protected, Logger: logger})
		tools := tool.Shell(h, shells, boxes, guard, Understand)
		tools = append(tools, tool.Files(h, guard)...)
		tools = append(tools, fetch, tool.NewSkill(h), tool.SQL(h.Database, h.TodosChanged))
		tools = append(tools, tool.AgentTools(h)...)
		tools = append(tools, tool.ResourceTools(h.Resources)...)
		tools = append(tools, tool.Search(h)...)
		tools = append(tools, tool.Task(h), tool.AskUser(h), tool.ExitPlanMode(h), tool.TaskComplete(), tool.ToolSearch())
		start := func(s shell.Script, output func(string)) (*shell.Running, error) {
			s.Drop = secrets
			return shell.Start(proctree.Self(), s, output)
		}
		return session.Toolbox{
			Tools: tools, Shells: shells, Boxes: boxes, ServerBoxes: servers, Guard: guard, Start: start,
			Close: func() { shells.Close(); boxes.Close(); servers.Close(); guard.Close() },
		}
	}
}

// Quarantine is what commands have made and what was moved aside, in all sessions of the user.
func Quarantine(cfg config.Config) *quarantine.Store {
	return quarantine.Open(vfs.OS{}, cli.Absolute(cfg.Home.Value))
}

// LookForKilled looks where sessions were killed while a command ran, and moves aside what they have left and what acts.
func LookForKilled(cfg config.Config) {
	boxes := SandboxHost(cfg, slog.New(slog.DiscardHandler)).Boxes("")
	rules, _ := permissions(cfg) // an error is that of sessions; the names that this program protects are there all the same
	guard := Quarantine(cfg).Guard(quarantine.Options{Boxes: boxes, Runs: effects.RepositoryRuns, Protected: rules.SandboxProtected()})
	defer boxes.Close()
	defer guard.Close()
	guard.Recover()
}

// runScript runs the command of a hook, or git for a rewind. Both end with this process.
func runScript(ctx context.Context, s shell.Script) (shell.Outcome, error) {
	s.Keeper = proctree.Self()
	return shell.RunScript(ctx, s)
}

// Understand returns the effects of a command that would start in dir, as far as they are
// known without running it.
func Understand(text, dir string) permit.Command {
	return effects.Judge(text, dir, userHome())
}

// Definitions are the built-in tools as every session of this process has them, apart from
// the list of skills, which differs.
func Definitions(cfg config.Config) []tool.Definition {
	box := Toolbox(cfg, SandboxHost(cfg, slog.New(slog.DiscardHandler)), nil)(noSession{})
	defer box.Close()
	var all []tool.Definition
	for _, t := range box.Tools {
		all = append(all, t.Definition())
	}
	return all
}

// noSession is the host of tools that are described and never run.
type noSession struct{ tool.Host }

func (noSession) Dir() string          { return os.TempDir() }
func (noSession) SkillListing() string { return "" }

func (noSession) AgentChoices() (all []tool.AgentChoice) {
	for _, d := range agent.Builtins() {
		all = append(all, tool.AgentChoice{Name: d.Name, Description: d.Description})
	}
	return all
}

// shared are variables with a secret of the user that this program reads, too. Commands
// inherit them, because gh and git use them, unless a flag names them as the token of this
// program. An MCP server gets them only if its env names them.
var shared = []string{"GH_TOKEN", "GITHUB_TOKEN"}

// secretVariables are the environment variables that no command of a model inherits:
// they hold the keys that were given to this program.
func secretVariables(cfg config.Config) []string {
	drop := []string{"SIDESTICK_*"}
	for _, v := range config.SecretVariables(config.Flags{}, func(string) string { return "" }) {
		if !slices.Contains(shared, v.Name) {
			drop = append(drop, v.Name)
		}
	}
	for _, address := range cfg.Addresses() {
		if name, ok := strings.CutPrefix(address.From, "env "); ok && strings.Contains(address.Value, "://") && strings.ContainsAny(address.Value, "?@") {
			drop = append(drop, name) // it may hold a key
		}
	}
	for _, from := range []string{cfg.GitHubToken.From, cfg.AgentToken.From} {
		if name, _, ok := strings.Cut(from, " (flag --"); ok {
			drop = append(drop, strings.TrimPrefix(name, "env "))
		}
	}
	return drop
}
