package mcpcmd

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// attempt is the result of starting a server.
type attempt struct {
	state wire.MCPServerStatus
	why   string            // of a failure
	tools []tool.Definition // that the model would be offered
	left  []mcp.LeftOut     // the others
	took  time.Duration
	notes []string // warnings about the configuration
}

// host stands for a session. Servers may ask it questions, as they may ask a session, because some
// offer fewer tools to a client that takes none; it answers none. Programs run outside of any sandbox.
type host struct {
	cwd     string
	secrets *obs.Redactor
	warn    func(text string)
}

var (
	_ mcp.Host  = host{}
	_ mcp.Asker = host{}
)

func (h host) Cwd() string { return h.cwd }

func (h host) Folders(context.Context) ([]string, error) { return []string{h.cwd}, nil }

func (h host) Notify(wire.Data)                  {}
func (h host) Warn(text string)                  { h.warn(text) }
func (h host) Conceal(string, map[string]string) {} // attempts does
func (h host) Progress(tool.Call, string)        {}
func (h host) Asker() mcp.Asker                  { return h }
func (h host) SignsIn(context.Context) bool      { return false }

func (h host) Elicit(context.Context, string, mcp.Elicitation) (mcp.Answer, error) {
	return mcp.Answer{Action: "decline"}, nil
}

func (h host) Sample(context.Context, string, mcp.Sampling) (json.RawMessage, error) {
	return nil, tool.ErrNobody
}

func (h host) SignIn(context.Context, wire.MCPAuthRequired) (mcp.HostToken, error) {
	return mcp.HostToken{}, tool.ErrNobody
}

func (h host) Headers(context.Context, wire.MCPHeadersRequired) (map[string]string, error) {
	return nil, tool.ErrNobody
}

func (h host) Redact(text string) string { return h.secrets.Redact(text) }

func (h host) Meta(_ context.Context, _ tool.Call, _, _ string, meta map[string]any) map[string]any {
	return meta
}

func (h host) Sandbox(context.Context, *mcp.OfProject) (*sandbox.Boxes, *sandbox.Policy, error) {
	return nil, nil, nil
}

// attempts starts servers side by side, and ends them. settled is called with each as soon as it
// has connected or failed, on the goroutine of the caller. The texts in an attempt have no secrets.
func (s *opened) attempts(ctx context.Context, list []mcp.Found, settled func(mcp.Found, attempt)) error {
	cwd, err := os.Getwd()
	if err != nil {
		return err
	}
	var notes noted
	h := host{cwd: cwd, secrets: s.Secrets.Child(), warn: notes.add}
	o := s.local.Servers()
	o.Host = h
	set := mcp.New(o)
	defer set.Close()
	c := mcp.Configuration{Tokens: s.local.Tokens(), Servers: map[string]json.RawMessage{}, Warn: notes.add}
	for _, one := range list {
		mcp.Conceal(one.Config, h.secrets)
		c.Servers[one.Name] = one.Config
	}
	start := time.Now()
	set.Configure(c)
	type result struct {
		of mcp.Found
		attempt
	}
	results := make(chan result, len(list))
	var waiting sync.WaitGroup
	defer waiting.Wait()
	for _, one := range list {
		waiting.Go(func() {
			a := h.settle(ctx, set, one.Name)
			a.took = time.Since(start)
			results <- result{one, a}
		})
	}
	for range list {
		r := <-results
		if ctx.Err() != nil {
			return cli.ErrAborted
		}
		r.notes = notes.about(r.of.Name)
		settled(r.of, r.attempt)
	}
	return nil
}

// noted are the warnings of servers. It is safe for concurrent use.
type noted struct {
	mu   sync.Mutex
	list []string
}

func (n *noted) add(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, text)
}

// about are the warnings about one server, but for that about tools, which [attempt] has.
func (n *noted) about(server string) (list []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, text := range n.list {
		if about, ok := strings.CutPrefix(text, "MCP server "+server+": "); ok && !strings.HasPrefix(about, mcp.WarningLeftOut) {
			list = append(list, text)
		}
	}
	return list
}

// settle waits until a server has connected or failed.
func (h host) settle(ctx context.Context, set *mcp.Set, name string) attempt {
	err := set.Settled(ctx, name)
	a := attempt{left: set.LeftOut(name)}
	for _, t := range set.Tools() {
		if d := t.Definition(); d.Server == name {
			a.tools = append(a.tools, d)
		}
	}
	for _, v := range set.List().Servers {
		if v.Name == name {
			a.state = v.Status
			if v.Error != nil {
				a.why = h.secrets.Redact(*v.Error)
			}
		}
	}
	if a.state == wire.MCPNeedsAuth {
		a.why = "it wants you to sign in"
	}
	if err != nil && a.state == wire.MCPConnected { // it has ended meanwhile
		a.state, a.why = wire.MCPFailed, h.secrets.Redact(fault.Message(err))
	}
	return a
}

// errNotUsable ends a command that has printed why servers cannot be used.
var errNotUsable = errors.New("not every MCP server can be used")

// next says what to do about a server that cannot be used.
func (a attempt) next(one mcp.Found) string {
	switch {
	case a.state == wire.MCPNeedsAuth:
		return "sidestick mcp login " + cli.IDArgument(one.Name) + ", or configure its Authorization header"
	case strings.Contains(a.why, "there is no program"):
		return "install the program, or configure its whole path"
	case strings.Contains(a.why, "did not connect within"):
		return "if it has to be downloaded first, try again; otherwise the program may be no MCP server"
	case strings.Contains(a.why, "no such host"), strings.Contains(a.why, "connection refused"):
		return "check its address, and whether the web service is running"
	case strings.Contains(a.why, "exit code"):
		return "run its command in this folder to see all that it prints"
	}
	return "look at its configuration"
}
