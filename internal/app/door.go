package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/web"
)

func serveCommand(o *options) *cobra.Command {
	s := &doorOptions{options: o}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve programs on the SDKs, or, with --extension, people's chats",
		Long: `Serve programs written on the GitHub Copilot SDKs, as sidestick --server does.

With --extension, serve the agent to people who chat elsewhere: as an agent of
the Copilot Extensions protocol at POST /, and as a model for any OpenAI client
at POST /v1/chat/completions. A thread is a session and goes on after a restart.
The agent may look at what is in its folder. Whatever else no --allow flag
covers, it asks in the chat, as a confirmation; for OpenAI clients it is denied.

Only this machine is answered, unless requests prove who sends them: those to
the agent by a signature of the platform (--extension-keys), those of OpenAI
clients by the connection token as their API key ($COPILOT_CONNECTION_TOKEN).
An address that other machines reach needs the keys.`,
		Example: `  sidestick serve --port 4141                  # for programs on the SDKs
  sidestick serve --extension --port 8080      # for chats on this machine
  sidestick agent chat http://127.0.0.1:8080/  # talk to it
  sidestick serve --extension --allow-tool 'shell(go test:*)' --model qwen3
  sidestick serve --extension --host 0.0.0.0 --extension-keys platform.pem
  sidestick serve --extension --extension-keys github --extension-slug pilot`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.serve(cmd.Context()) },
	}
	o.listenFlags(cmd)
	f := cmd.Flags()
	f.StringVarP(&o.flags.Model, "model", "m", "", "`name` of the model (default $SIDESTICK_MODEL)")
	f.BoolVar(&s.extension, "extension", false, "serve the agent to people's chats, over HTTP")
	f.StringVar(&s.keys, "extension-keys", "", "`where` the public keys are that requests are signed with: a file in PEM, a URL, or github")
	f.StringVar(&s.slug, "extension-slug", "", "the agent's `name` on the platform; requests for another are refused")
	f.StringVar(&o.flags.Answers, "max-answers", "", "with --extension, answer at most this `number` of requests at once (default $SIDESTICK_MAX_ANSWERS, else 32)")
	f.StringVar(&s.dir, "extension-dir", "", "the `folder` that new threads work in (default the current one)")
	return cmd
}

// doorOptions is one `sidestick serve`.
type doorOptions struct {
	*options
	extension       bool
	keys, slug, dir string
}

func (s *doorOptions) serve(ctx context.Context) error {
	if err := s.check(); err != nil {
		return usageError{err}
	}
	if !s.extension {
		return s.options.serve(ctx)
	}
	ignoreBrokenPipes()
	s.flags.Guarded = true
	cfg, err := s.config()
	if err != nil {
		return err
	}
	if !cfg.Loopback() && s.keys == "" {
		return usageError{fmt.Errorf("%s: other machines can reach %s, and nothing says who sends a request "+
			"(give --extension-keys, or listen on 127.0.0.1)", cfg.Host.From, cfg.Host.Value)}
	}
	p, err := build(cfg, s.sys, lookFreely)
	if err != nil {
		return err
	}
	if p.provider.Missing != nil && p.provider.Model == "" { // an agent in place of a model has a name and no provider
		return errors.Join(errors.New(cfg.NoModelHelp()), p.close())
	}
	return errors.Join(s.open(ctx, p), p.close())
}

// check finds flags that contradict each other.
func (s *doorOptions) check() error {
	if !s.extension && (s.keys != "" || s.slug != "" || s.dir != "" || s.flags.Answers != "") {
		return errors.New("--extension-keys, --extension-slug, --extension-dir and --max-answers are for --extension: give that, too")
	}
	if s.extension && s.stdio {
		return errors.New("--extension is for HTTP, --stdio for one program: give one of them")
	}
	return nil
}

// open serves until ctx ends, and leaves what people were asked open.
func (s *doorOptions) open(ctx context.Context, p *parts) (err error) {
	opts, err := s.door(p)
	if err != nil {
		return err
	}
	l, err := listenOn(ctx, address(p.cfg))
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(s.sys.Stdout, "listening on http://%s/\n", l.Addr()); err != nil {
		return errors.Join(err, l.Close())
	}
	if opts.Keys == nil {
		fmt.Fprintln(s.sys.Stderr, "sidestick: requests need no signature, so only this machine's are answered (see --extension-keys)")
	}
	door := web.New(opts)
	err = door.Listen(ctx, l)
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushWait)
	defer cancel()
	return errors.Join(err, door.Close(closing))
}

// door is how the door is opened.
func (s *doorOptions) door(p *parts) (opts web.Options, err error) {
	opts = web.Options{
		Sessions: p.sessions, Token: string(p.cfg.ConnectionToken.Value), Slug: s.slug, Loopback: p.cfg.Loopback(),
		Answers: p.cfg.Answers.Value, Logger: p.logs,
	}
	if opts.Keys, err = platformKeys(s.keys); err != nil {
		return opts, usageError{err}
	}
	if opts.Dir, err = folder(s.dir); err != nil {
		return opts, usageError{err}
	}
	fsys := s.sys.FS
	if fsys == nil {
		fsys = vfs.OS{}
	}
	opts.Key, err = web.LoadKey(fsys, filepath.Join(absolute(p.cfg.Home.Value), "extension.key"))
	return opts, err
}

// keysWait bounds a request for the keys of a platform.
const keysWait = 10 * time.Second

// maxKeysHops bounds the redirects of such a request.
const maxKeysHops = 3

// platformKeys reads what --extension-keys says; nil for nothing.
func platformKeys(from string) (extension.KeySource, error) {
	client := &http.Client{Timeout: keysWait, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if len(via) > maxKeysHops || !proves(req.URL) {
			return errors.New("it redirects too often, or to where no https:// is")
		}
		return nil
	}}
	switch u, err := url.Parse(from); {
	case from == "":
		return nil, nil
	case from == "github":
		return extension.FetchKeys("", client), nil
	case strings.Contains(from, "://") && (err != nil || !proves(u)):
		return nil, errors.New("--extension-keys: keys that do not come over https:// prove nothing; give an https:// address or a file")
	case strings.Contains(from, "://"):
		return extension.FetchKeys(from, client), nil
	}
	pem, err := os.ReadFile(from)
	if err != nil {
		return nil, fmt.Errorf("--extension-keys: %w (give a file in PEM, an https:// address, or github)", err)
	}
	keys, err := extension.FixedKeys(string(pem))
	if err != nil {
		return nil, fmt.Errorf("--extension-keys: %s: %s", from, fault.Message(err))
	}
	return keys, nil
}

// proves reports whether what an address answers comes from whom it names.
func proves(u *url.URL) bool {
	return u.Scheme == "https" || u.Scheme == "http" && web.LoopbackHost(u.Host)
}

// folder is one that is there, made absolute; "" stays that.
func folder(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	info, err := os.Stat(name)
	if err == nil && !info.IsDir() {
		err = errors.New("this is no folder")
	}
	if err != nil {
		return "", fmt.Errorf("--extension-dir: %s: %w", name, err)
	}
	return absolute(name), nil
}
