package serve

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/web"
)

// Command is `sidestick serve`.
func Command(o *cli.Options) *cobra.Command {
	s := &extensionServer{Server: &Server{Options: o}}
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

With --extension, only this machine is answered. To answer other machines, give
--extension-keys: then each request of the platform must have its signature.
OpenAI clients send no signature. Those on other machines must send
$COPILOT_CONNECTION_TOKEN as their API key; if it is set, those on this machine
must send it, too.`,
		Example: `  sidestick serve --port 4141                  # for programs on the SDKs
  sidestick serve --extension --port 8080      # for chats on this machine
  sidestick agent chat http://127.0.0.1:8080/  # talk to it
  sidestick serve --extension --allow-tool 'shell(go test:*)' --model qwen3
  sidestick serve --extension --host 0.0.0.0 --extension-keys platform.pem
  sidestick serve --extension --extension-keys github --extension-slug pilot`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.serve(cmd.Context()) },
	}
	s.listenFlags(cmd)
	f := cmd.Flags()
	f.StringVarP(&o.Flags.Model, "model", "m", "", "`name` of the model (default $SIDESTICK_MODEL)")
	f.BoolVar(&s.extension, "extension", false, "offer the agent to chats, over HTTP")
	f.StringVar(&s.keys, "extension-keys", "", "`source` of the platform's public keys: a file in PEM, a URL, or github")
	f.StringVar(&s.slug, "extension-slug", "", "the agent's `name` on the platform (its slug); requests for other agents are refused")
	f.StringVar(&o.Flags.Answers, "max-answers", "", "with --extension, answer at most this `number` of requests at the same time (default $SIDESTICK_MAX_ANSWERS, else 32)")
	f.StringVar(&s.dir, "extension-dir", "", "the `folder` that new threads work in (default the current one)")
	return cmd
}

// extensionServer is one `sidestick serve`.
type extensionServer struct {
	*Server
	extension       bool
	keys, slug, dir string
}

func (s *extensionServer) serve(ctx context.Context) error {
	if err := s.check(); err != nil {
		return cli.NewUsageError(err)
	}
	if !s.extension {
		return s.Serve(ctx)
	}
	s.Flags.Guarded = true
	s.Flags.Server = true
	cfg, err := s.Config()
	if err != nil {
		return err
	}
	if !cfg.Loopback() && s.keys == "" {
		return cli.NewUsageError(fmt.Errorf("%s: other machines can reach %s, and nothing proves who sends a request "+
			"(give --extension-keys, or listen on 127.0.0.1)", cfg.Host.From, cfg.Host.Value))
	}
	if err := wiring.CheckRuleNames(cfg, nil); err != nil {
		return err
	}
	p, err := wiring.Build(cfg, s.Sys, wiring.Adjust{Rules: wiring.AllowReading, Sandbox: true, Secrets: &s.Secrets})
	if err != nil {
		return err
	}
	if p.Provider.Missing != nil && p.Provider.Model == "" { // an agent as the model has a name and no provider
		return errors.Join(cli.NewUsageError(errors.New(cfg.NoModelHelp())), p.Close())
	}
	return errors.Join(s.open(ctx, p), p.Suspend())
}

// check finds flags that contradict each other.
func (s *extensionServer) check() error {
	if !s.extension && (s.keys != "" || s.slug != "" || s.dir != "" || s.Flags.Answers != "") {
		return errors.New("--extension-keys, --extension-slug, --extension-dir and --max-answers need --extension")
	}
	if s.extension && s.stdio {
		return errors.New("--extension serves HTTP and --stdio serves one program: give one of them")
	}
	return nil
}

// open serves until ctx ends. Open questions stay open, on disk.
func (s *extensionServer) open(ctx context.Context, p *wiring.Parts) (err error) {
	opts, err := s.door(p)
	if err != nil {
		return err
	}
	l, err := listenOn(ctx, address(p.Config))
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(s.Sys.Stdout, "listening on http://%s/\n", l.Addr()); err != nil {
		return errors.Join(err, l.Close())
	}
	if opts.Keys == nil {
		fmt.Fprintln(s.Sys.Stderr, "sidestick: requests need no signature, so only requests from this machine are answered, "+
			"those of its other users too (see --extension-keys)")
	}
	door := web.New(opts)
	err = door.Listen(ctx, l)
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), wiring.FlushWait)
	defer cancel()
	return errors.Join(err, door.Close(closing))
}

// door returns the options of the HTTP server.
func (s *extensionServer) door(p *wiring.Parts) (opts web.Options, err error) {
	opts = web.Options{
		Sessions: p.Sessions, Token: string(p.Config.ConnectionToken.Value), Slug: s.slug, Loopback: p.Config.Loopback(),
		Answers: p.Config.Answers.Value, Logger: p.Logs,
	}
	if opts.Keys, err = platformKeys(s.keys); err != nil {
		return opts, cli.NewUsageError(err)
	}
	if opts.Dir, err = folder(s.dir); err != nil {
		return opts, cli.NewUsageError(err)
	}
	fsys := s.Sys.FS
	if fsys == nil {
		fsys = vfs.OS{}
	}
	opts.Key, err = web.LoadKey(fsys, filepath.Join(cli.Absolute(p.Config.Home.Value), "extension.key"))
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
