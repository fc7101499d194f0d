package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/quota"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/web"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Command is `sidestick serve`.
func Command(o *cli.Options) *cobra.Command {
	s := &Server{Options: o}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve SDK programs or, with --extension, chat clients over HTTP",
		Long: `Run as a server for programs written on the GitHub Copilot SDKs. The SDKs start
the same server with sidestick --headless; sidestick --server is a third name.
If other machines can reach --host, set $COPILOT_CONNECTION_TOKEN, which the
programs must then send.

With --extension, offer the agent to chats over HTTP: as an agent of the Copilot
Extensions protocol at POST /, and as a model for OpenAI clients at
POST /v1/chat/completions. Each thread of a platform (the service that calls the
agent, such as GitHub) is a session, which survives a restart. Each request of
an OpenAI client is a session of its own.

With --extension, reading in the agent's folder needs no approval, and neither
do commands that only read there. Changing a file, any other command, fetching a
page and leaving the folder need an --allow flag or a confirmation in the chat.
OpenAI clients cannot show a confirmation, so without a flag these calls are
denied there.

With --extension, only this machine is answered. If $COPILOT_CONNECTION_TOKEN is
set, each request must have it: as the API key of an OpenAI client, or as the
token of sidestick agent chat (--token-env COPILOT_CONNECTION_TOKEN). To answer
other machines, give --extension-keys: then each request of the platform must
have its signature in place of the token, and OpenAI clients on other machines
need the token.

With --extension-port, serve SDK programs on --port and chats on the port that it
names, in one process. All that is said of --extension holds for the chats.`,
		Example: `  sidestick serve --port 4141                  # for programs on the SDKs
  sidestick serve --extension --port 8080      # for chats on this machine
  sidestick serve --port 4141 --extension-port 8080   # both
  sidestick agent chat http://127.0.0.1:8080/  # talk to it
  sidestick serve --extension --allow-tool 'shell(go test:*)' --model qwen3
  sidestick serve --extension --host 0.0.0.0 --extension-keys platform.pem
  sidestick serve --extension --extension-keys github --extension-slug pilot`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.chats.beside = cmd.Flags().Changed("extension-port")
			return s.Serve(cmd.Context())
		},
	}
	s.listenFlags(cmd)
	f := cmd.Flags()
	f.StringVarP(&o.Flags.Model, "model", "m", "", "`name` of the model (default $SIDESTICK_MODEL)")
	f.BoolVar(&s.chats.alone, "extension", false, "offer the agent to chats, over HTTP")
	f.IntVar(&s.chats.port, "extension-port", 0, "offer the agent to chats on this `port`, beside SDK programs on --port; 0 is any free one")
	f.StringVar(&s.chats.keys, "extension-keys", "", "`source` of the platform's public keys: a file in PEM, a URL, or github")
	f.StringVar(&s.chats.slug, "extension-slug", "", "the agent's `name` on the platform (its slug); requests for other agents are refused")
	f.StringVar(&o.Flags.Answers, "max-answers", "", "with --extension or --extension-port, answer at most this `number` of requests at the same time (default $SIDESTICK_MAX_ANSWERS, else 32)")
	f.StringVar(&s.chats.dir, "extension-dir", "", "the `folder` that new threads work in (default the current one)")
	return cmd
}

// chatFlags are the flags of the door for chats.
type chatFlags struct {
	alone, beside   bool // whether it is open, and then whether programs on the SDKs are served, too
	port            int  // if they are
	keys, slug, dir string
}

func (c chatFlags) open() bool { return c.alone || c.beside }

// programFiles and ownFiles are how many of the files that the process can have open are for programs on the SDKs, and how
// many for chats. Neither has those that commands, MCP servers and calls of models need: [server.Options].Files counts with
// that, and chats alone have half.
func (c chatFlags) programFiles(all int) int {
	if c.beside {
		return all - all/4
	}
	return all
}

func (c chatFlags) ownFiles(all int) int {
	if c.beside {
		return all / 4
	}
	return all / 2
}

// check finds flags that contradict each other.
func (s *Server) check() error {
	if err := wire.CheckProtocol(s.protocol); err != nil {
		return fmt.Errorf("flag --protocol: %w", err)
	}
	switch c := s.chats; {
	case !c.open() && (c.keys != "" || c.slug != "" || c.dir != "" || s.Flags.Answers != ""):
		return errors.New("--extension-keys, --extension-slug, --extension-dir and --max-answers need --extension or --extension-port")
	case c.alone && s.stdio:
		return errors.New("--extension serves chats over HTTP, and --stdio one program over stdin and stdout: give one of them")
	case c.beside && s.stdio:
		return errors.New("--extension-port serves chats over HTTP beside SDK programs on --port, and --stdio one program over stdin and stdout: give one of them")
	case s.stdio && (s.Flags.Port != 0 || s.Flags.Host != ""):
		return errors.New("--port and --host are for a server of TCP, and --stdio serves one program over stdin and stdout: give one of them")
	case c.alone && c.beside:
		return errors.New("--extension serves only chats, on --port, and --extension-port serves them beside SDK programs: give one of them")
	case c.port < 0 || c.port > maxPort:
		return fmt.Errorf("--extension-port: %d is not a port from 0 to %d (0 takes any free port)", c.port, maxPort)
	}
	return nil
}

// maxPort is the largest TCP port there is.
const maxPort = 1<<16 - 1

// checkChats finds what chats cannot be served with.
func (s *Server) checkChats(cfg config.Config) error {
	if !cfg.Loopback() && s.chats.keys == "" {
		return cli.NewUsageError(fmt.Errorf("%s: other machines can reach %s, and nothing proves who sends a request "+
			"(give --extension-keys, or listen on 127.0.0.1)", cfg.Host.From, cfg.Host.Value))
	}
	return wiring.CheckRuleNames(cfg, nil)
}

// chats is the door of chats over HTTP.
type chats struct{ *web.Door }

// Name implements [Door].
func (chats) Name() string { return "chats" }

// Serve implements [Door].
func (d chats) Serve(ctx context.Context, l net.Listener) error { return d.Listen(ctx, l) }

// Drain implements [Door]. Open questions stay open, on disk.
func (d chats) Drain(ctx context.Context) error { return d.Close(ctx) }

// openChats returns the opening for chats with the sessions of a home.
func (s *Server) openChats(p *wiring.Process, h *wiring.Home) (o Opening, err error) {
	if h.Provider.Missing != nil && h.Provider.Model == "" { // an agent as the model has a name and no provider
		return o, cli.NewUsageError(errors.New(h.Config.NoModelHelp()))
	}
	opts, err := s.chatOptions(p, h)
	if err != nil {
		return o, err
	}
	o = Opening{Door: chats{web.New(opts)}, Address: address(h.Config, h.Config.Port.Value), Flag: "--port"}
	out, before := s.Sys.Stdout, ""
	if s.chats.beside { // what programs on the SDKs read is one line
		o.Address, o.Flag = address(h.Config, s.chats.port), "--extension-port"
		out, before = s.Sys.Stderr, "sidestick: "
	}
	o.Announce = func(at net.Addr) error {
		if _, err := fmt.Fprintf(out, "%slistening on http://%s/\n", before, at); err != nil {
			return err
		}
		if opts.Keys == nil && opts.Token == "" {
			fmt.Fprintln(s.Sys.Stderr, "sidestick: requests need no token and no signature, so only requests from this machine are answered, "+
				"those of its other users too (see COPILOT_CONNECTION_TOKEN and --extension-keys)")
		}
		return nil
	}
	return o, nil
}

// chatOptions returns the options of the HTTP server.
func (s *Server) chatOptions(p *wiring.Process, h *wiring.Home) (opts web.Options, err error) {
	opts = web.Options{
		Sessions: h.Sessions, Token: string(h.Config.ConnectionToken.Value), Slug: s.chats.slug, Loopback: h.Config.Loopback(),
		Answers: h.Config.Answers.Value, Files: s.chats.ownFiles(quota.Files()), Logger: p.Logs,
	}
	if opts.Keys, err = platformKeys(s.chats.keys); err != nil {
		return opts, cli.NewUsageError(err)
	}
	if opts.Dir, err = folder(s.chats.dir); err != nil {
		return opts, cli.NewUsageError(err)
	}
	fsys := s.Sys.FS
	if fsys == nil {
		fsys = vfs.OS{}
	}
	opts.Key, err = web.LoadKey(fsys, filepath.Join(cli.Absolute(h.Config.Home.Value), "extension.key"))
	return opts, err
}

// folder is the absolute path of a folder that exists; "" for "".
func folder(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	info, err := os.Stat(name)
	if err == nil && !info.IsDir() {
		err = errors.New("this is not a folder")
	}
	if err != nil {
		return "", fmt.Errorf("--extension-dir: %s: %w", name, err)
	}
	return cli.Absolute(name), nil
}
