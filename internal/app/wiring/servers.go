package wiring

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/proctree"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// withheld are the variables that commands inherit, and MCP servers only if their env names them: a command was
// approved, or runs gh, git and aws, and a server does neither.
func withheld() []string {
	return append([]string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"}, shared...)
}

// servers are the options of the MCP servers of a session. They inherit what commands do, but for what is withheld.
func servers(cfg config.Config) mcp.Options {
	return mcp.Options{Environ: shell.Environ(os.Environ(), secretVariables(cfg)), Withheld: withheld(), Keeper: proctree.Self(), Version: cli.Version()}
}

// serversOf is servers for the sessions of one home: what protocols servers speak is remembered for all of them.
func serversOf(cfg config.Config) func() mcp.Options {
	eras := &mcp.Eras{}
	return func() mcp.Options {
		o := servers(cfg)
		o.Eras = eras
		return o
	}
}

// appsEnabled reports whether MCP Apps are switched on.
func appsEnabled() bool {
	return slices.Contains([]string{os.Getenv("COPILOT_MCP_APPS"), os.Getenv("MCP_APPS")}, "true")
}

// Local is what the files of the user and of the project that this program was started in
// configure, without the runtime.
type Local struct {
	*registry.Registry        // it opens no session
	Project            string // the folder of the project
	config             config.Config
}

// Counts says whether a content of a file counts, before there is a runtime; see [projectfiles.Counts].
// home is Sidestick's home.
func Counts(home, path, digest string) error {
	at, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return projectfiles.ErrUntrusted
	}
	return approval.OpenGrants(vfs.OS{}, ApprovalsPath(home)).Counts(filepath.Join(at, filepath.Base(path)), digest)
}

// OpenLocal returns what is configured. It starts nothing.
func OpenLocal(cfg config.Config, sys cli.System) *Local {
	l := &Local{config: cfg, Registry: registry.New(registry.Options{
		FS: sys.FS, Version: cli.Version(), Permissions: ApprovalsPath(cli.Absolute(cfg.Home.Value)),
		Home: cli.Absolute(cfg.Home.Value), UserHome: userHome(), Cwd: startedIn(), MCP: serversOf(cfg),
	})}
	l.Project = l.ProjectOf("")
	return l
}

// Servers are the options of MCP servers, but for their host.
func (l *Local) Servers() mcp.Options { return servers(l.config) }

// FoundServers returns the MCP servers in the files of the user and of the project, as [mcp.Files.All].
func (l *Local) FoundServers() (all []mcp.Found, problems []string) {
	return l.ServerFiles().All(l.Project, startedIn())
}

// RemoveServer removes a server from the file in which [Local.FoundServers] has found it.
func (l *Local) RemoveServer(one mcp.Found) error {
	return l.ServerFiles().RemoveFrom(l.Project, startedIn(), one.Path, one.Name)
}

// ServerNames are the names of the configured MCP servers, also of those that are not started.
func (l *Local) ServerNames() (names []string) {
	all, _ := l.FoundServers()
	for _, one := range all {
		names = append(names, one.Name)
	}
	return names
}
