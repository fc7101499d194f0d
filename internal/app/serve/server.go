package serve

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/plugin"
	"github.com/sidestick-dev/sidestick/internal/quota"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Server is a server for programs on the GitHub Copilot SDKs, for chats, or for both.
type Server struct {
	*cli.Options

	chats chatFlags

	headless, server, stdio, noAutoUpdate bool

	embedded, announceReady bool // see inprocess/

	protocol         int
	remote, uiServer bool
	pluginDirs       []string
}

// RootFlags adds the flags that the six SDKs pass, and those that the protocol names
// besides. Any other flag fails with its name, as users of the SDKs expect.
func (s *Server) RootFlags(root *cobra.Command) {
	f := root.Flags()
	f.BoolVar(&s.headless, "headless", false, "serve programs written on the GitHub Copilot SDKs, as sidestick serve does")
	f.BoolVar(&s.server, "server", false, "the same as --headless")
	s.listenFlags(root)
	f.BoolVar(&s.embedded, "embedded-host", false, "the same as --headless --stdio: how SDKs start a runtime that they host in process")
	f.BoolVar(&s.announceReady, "announce-ready", false, "with --stdio: write the line \"ready\" before the first message, as the in-process library wants it")
	f.BoolVar(&s.noAutoUpdate, "no-auto-update", false, "accepted for compatibility; this program never updates itself")
	f.BoolVar(&s.remote, "remote", false, "accepted for compatibility; sessions warn that it has no effect")
	f.BoolVar(&s.uiServer, "ui-server", false, "accepted for compatibility; sessions warn that it has no effect")
	f.StringArrayVar(&s.pluginDirs, "plugin-dir", nil, "use the plugin in this `folder` in all sessions; may be repeated")
}

// ignored returns what the command line and the environment ask for and what has no effect.
// Sessions warn of it: programs that start the server may show its stderr to their users.
func (s *Server) ignored() (ignored []wire.Setting) {
	for _, c := range []struct {
		given     bool
		name, why string
	}{
		{s.remote, "--remote", "sessions are not exported to GitHub"},
		{s.uiServer, "--ui-server", "a server shows no user interface"},
		{s.Sys.Getenv("COPILOT_OTEL_ENABLED") == "true" && s.Sys.Getenv("COPILOT_OTEL_FILE_EXPORTER_PATH") == "", "COPILOT_OTEL_ENABLED", "spans are written into files only (COPILOT_OTEL_FILE_EXPORTER_PATH)"},
	} {
		if c.given {
			ignored = append(ignored, wire.Setting{Field: c.name, Why: c.why})
		}
	}
	return append(ignored, s.ignoredPlugins()...)
}

// ignoredPlugins returns which folders of --plugin-dir are no plugins, and which parts of the
// others have no effect.
func (s *Server) ignoredPlugins() (ignored []wire.Setting) {
	if len(s.pluginDirs) == 0 {
		return nil
	}
	store := plugin.NewStore(vfs.OS{}, "", cli.Absolute("."))
	list, errs := store.Explicit(s.pluginDirs, "")
	for _, err := range errs {
		ignored = append(ignored, wire.Setting{Field: "--plugin-dir", Why: fault.Message(err)})
	}
	for _, p := range list {
		if parts := store.Unused(p); len(parts) > 0 {
			ignored = append(ignored, wire.Setting{Field: "--plugin-dir", Why: "the plugin " + p.Name + " has parts that have no effect here: " + strings.Join(parts, ", ")})
		}
	}
	return ignored
}

// Wanted reports whether the flags ask for a server.
func (s *Server) Wanted() bool { return s.headless || s.server || s.embedded }

// listenFlags adds the flags of every way to serve.
func (s *Server) listenFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&s.stdio, "stdio", false, "communicate over stdin and stdout instead of TCP")
	f.IntVar(&s.protocol, "protocol", wire.ProtocolVersion, "`version` of the protocol that the SDK programs speak: 3 for SDK 1.x")
	f.IntVar(&s.Flags.Port, "port", 0, "TCP `port`; 0 is any free one")
	f.StringVar(&s.Flags.Host, "host", "", "`address` to listen on (default 127.0.0.1)")
	f.StringVar(&s.Flags.LogLevel, "log-level", "", "`level` of the diagnostic log: none, error, warning, info, debug or all (default warning)")
	f.StringVar(&s.Flags.LogDir, "log-dir", "", "write the diagnostic log to a file in this `folder`, not to stderr")
	f.StringVar(&s.Flags.AuthTokenEnv, "auth-token-env", "", "environment `variable` that holds a GitHub token")
	f.BoolVar(&s.Flags.NoAutoLogin, "no-auto-login", false, "use only the GitHub token of --auth-token-env")
	s.DurabilityFlag(cmd)
	s.FallbackFlag(cmd)
	s.TapeFlags(cmd)
	f.IntVar(&s.Flags.IdleSeconds, "session-idle-timeout", 0, "`seconds` after which the conversation of an unused session is released from memory (default 600)")
	s.PermissionFlags(cmd)
}

// Serve serves until the client leaves, over stdio, or a signal comes, and then flushes
// the sessions. Runs that are under way are left to a later resume: neither the end of a client nor
// that of a server says that its user does not want the answer any more.
func (s *Server) Serve(ctx context.Context) error {
	s.stdio = s.stdio || s.embedded
	if s.announceReady && !s.stdio {
		return cli.NewUsageError(errors.New("--announce-ready needs --stdio or --embedded-host"))
	}
	if err := s.check(); err != nil {
		return cli.NewUsageError(err)
	}
	if s.chats.alone {
		return s.serveChats(ctx)
	}
	return s.servePrograms(ctx)
}

// serveChats serves chats alone.
func (s *Server) serveChats(ctx context.Context) error {
	s.Flags.Guarded = true
	cfg, err := s.configuration()
	if err != nil {
		return err
	}
	p, err := wiring.Build(cfg, s.Sys, s.forChats())
	if err != nil {
		return err
	}
	chats, err := s.openChats(p.Process, p.Home)
	if err == nil {
		err = Open(ctx, []Opening{chats})
	}
	return errors.Join(err, p.Suspend())
}

// servePrograms serves programs on the SDKs, and chats if they are wanted, too. Chats have a home of their own on the
// same folder, because they may do other things without a question.
func (s *Server) servePrograms(ctx context.Context) error {
	defer relaxCollector()()
	cfg, err := s.configuration()
	if err != nil {
		return err
	}
	e := newEbb()
	defer e.stop()
	p, err := wiring.Build(cfg, s.Sys, wiring.Adjust{Secrets: &s.Secrets, Ignored: s.ignored(), Left: e.Left, Files: s.chats.programFiles(quota.Files())})
	if err != nil {
		return err
	}
	p.Sessions.Plugins().Use(s.pluginDirs)
	wiring.WarnOfRuleNames(cfg, p.Logs)
	doors := []Opening{s.openPrograms(p)}
	if s.chats.beside {
		var chats Opening
		home, err := p.OpenBeside(s.forChats())
		if err == nil {
			chats, err = s.openChats(p.Process, home)
		}
		if err != nil {
			return errors.Join(err, p.Suspend())
		}
		doors = append(doors, chats)
	}
	return errors.Join(Open(ctx, doors), p.Suspend())
}

// configuration reads and checks the configuration.
func (s *Server) configuration() (config.Config, error) {
	s.Flags.Server = true
	cfg, err := s.Config()
	if err == nil && s.chats.open() {
		err = s.checkChats(cfg)
	}
	return cfg, err
}

// forChats is how the sessions of chats differ from those of programs.
func (s *Server) forChats() wiring.Adjust {
	return wiring.Adjust{Rules: wiring.AllowReading, Sandbox: true, Secrets: &s.Secrets}
}

// address is a port on the host that the configuration names.
func address(cfg config.Config, port int) string {
	return net.JoinHostPort(cfg.Host.Value, strconv.Itoa(port))
}
