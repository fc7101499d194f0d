package front

import (
	"context"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/lookalike"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/page"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// mcpServers shows the MCP servers of the session.
func (f *embedded) mcpServers(context.Context, string) (tui.Effect, error) {
	l := page.Servers(f.keys)
	fill := &filler{words: f.words, list: l, read: func(ctx context.Context) (func(), error) {
		servers, err := f.readServers(ctx)
		return func() { page.SetServers(l, servers) }, err
	}}
	return tui.Effect{Pick: &tui.Picker{
		List: l, Open: fill.open,
		Do: func(ctx context.Context, o list.Outcome) (tui.Effect, error) {
			e, err := f.doServer(ctx, o)
			e.Then = fill.load
			return e, err
		},
		Event: func(e follow.Event) {
			if strings.HasPrefix(string(e.Type), "session.mcp") || strings.HasPrefix(string(e.Type), "mcp.") {
				fill.load()
			}
		},
	}}, nil
}

// toolWait bounds the wait for the list of the tools of one server.
const toolWait = 2 * time.Second

func (f *embedded) readServers(ctx context.Context) (servers []page.Server, err error) {
	s := session.MCP(f.Client.Session())
	got, err := s.List(ctx)
	if err != nil {
		return nil, err
	}
	set, _ := s.Set() // without servers there is none
	for _, m := range got.Servers {
		p := page.Server{Name: m.Name, State: string(m.Status), Err: wire.OrZero(m.Error)}
		if m.Source != nil {
			p.Source = string(*m.Source)
		}
		if p.State == "connected" && set != nil {
			p.Tools, err = serverTools(ctx, set, m.Name)
			if err != nil {
				p.Err = "its tools could not be listed: " + f.words(err)
			}
		}
		servers = append(servers, p)
	}
	return servers, nil
}

func serverTools(ctx context.Context, set *mcp.Set, name string) (tools []page.Tool, err error) {
	ctx, cancel := context.WithTimeout(ctx, toolWait)
	defer cancel()
	got, err := set.Listed(ctx, name)
	for _, t := range got.Tools {
		tools = append(tools, page.Tool{Name: t.Name, Description: wire.OrZero(t.Description)})
	}
	return tools, err
}

// doServer carries out what the user does with a server.
func (f *embedded) doServer(ctx context.Context, o list.Outcome) (tui.Effect, error) {
	set, err := session.MCP(f.Client.Session()).Set()
	if err != nil {
		return tui.Effect{}, err
	}
	name := o.Item.ID
	off := o.Item.Enter == "start"
	switch {
	case o.Action == keymap.ListToggle && off:
		return tui.Effect{}, set.Enable(name)
	case o.Action == keymap.ListToggle:
		return tui.Effect{}, set.Disable(ctx, name)
	case o.Action != keymap.ListChoose:
		return tui.Effect{}, nil
	case o.Item.Enter == "sign in":
		return f.signIn(ctx, set, name)
	case off:
		if err := set.Enable(name); err != nil {
			return tui.Effect{}, err
		}
		return tui.Effect{}, set.Start(name, nil, false)
	case o.Item.Enter == "restart":
		return tui.Effect{}, set.Start(name, nil, true)
	}
	return tui.Effect{}, nil
}

// signIn begins to sign the user in to a server. The server is started again afterwards.
func (f *embedded) signIn(ctx context.Context, set *mcp.Set, name string) (tui.Effect, error) {
	at, err := set.Login(context.WithoutCancel(ctx), mcp.Login{Name: name})
	if err != nil {
		return tui.Effect{}, err
	}
	shown := timeline.OneLine(name, 60)
	if at == "" {
		return tui.Effect{Text: shown + ": no sign-in needed: the server accepts your current credentials"}, nil
	}
	return tui.Effect{Close: true, Text: "open this page in a browser on this machine to sign in to " + shown + ":\n" + timeline.Harmless(lookalike.With(at)) + "\nThe server is started again when you have signed in; /mcp shows it."}, nil
}
