package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/invisible"
	"github.com/sidestick-dev/sidestick/internal/model/schema"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// Bounds of the tools of a server. A large server has a hundred.
const (
	maxTools       = 1000
	maxLeftOut     = 10_000
	maxPages       = 100
	maxDescription = 64 << 10 // bytes of one tool's description
	maxSchema      = 256 << 10
	maxToolName    = 256
	maxListed      = 1 << 20 // bytes of all descriptions and schemas, each of which the model reads with each call
	maxLevels      = 100     // of a schema
)

// Tool is one tool of a server. It implements [tool.Asker].
type Tool struct {
	connection *connection
	described  *sdk.Tool
	definition tool.Definition
	ui         *UI
	timeout    time.Duration
	own        bool // its server is one that this program has added
	// definitions are what the server says of all its tools in the same list
	definitions map[string]permit.Definition
}

// UI is what a tool says about MCP Apps, in the field ui of its metadata.
type UI struct {
	ResourceURI string   `json:"resourceUri"`
	Visibility  []string `json:"visibility"` // "model", "app"; empty: both
}

// list reads the tools of the server. The session is warned of tools that
// are left out although neither the user nor the server asked for that.
func (n *connection) list(ctx context.Context, c *config) (listing, error) {
	limit := StartTime
	if c.timeout > 0 {
		limit = c.timeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it did not list its tools within %v", limit))
	defer cancel()
	defer context.AfterFunc(n.context, cancel)()
	if caps := n.client.InitializeResult().Capabilities; caps == nil || caps.Tools == nil {
		return listing{}, nil
	}
	l := listing{seen: map[string]bool{}, definitions: map[string]permit.Definition{}}
	for params, page := (&sdk.ListToolsParams{}), 0; ; page++ {
		var all []string
		kept := map[string]bool{}
		listed, err := n.client.ListTools(context.WithValue(ctx, listedKey{}, &all), params)
		if err != nil {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return listing{}, err
		}
		for _, described := range listed.Tools {
			if described != nil {
				n.add(c, described, &l)
				kept[described.Name] = true
			}
		}
		for _, name := range all {
			if !kept[name] {
				l.omit(name, !c.offers(name), "its schema has an x-mcp-header that breaks the rules of the protocol")
			}
		}
		if len(l.tools) > maxTools || len(l.omitted) > maxLeftOut || page >= maxPages {
			return listing{}, fmt.Errorf("it has more than %d tools, more than %d that are left out, or more than %d pages of them", maxTools, maxLeftOut, maxPages)
		}
		if listed.NextCursor == "" {
			n.warn(l.warning())
			return l, nil
		}
		params = &sdk.ListToolsParams{Cursor: listed.NextCursor}
	}
}

// add adds a tool as it was listed, if it is offered and can be used. One definition that no provider
// accepts would have the provider refuse every request of the session.
func (n *connection) add(c *config, described *sdk.Tool, l *listing) {
	name, written := described.Name, n.orders.as(described.InputSchema)
	input := objectSchema(described.InputSchema)
	switch size := len(input) + len(described.Description); {
	case !c.offers(name):
		l.omit(name, true, "the configuration of the server leaves it out")
		return
	case name == "" || len(name) > maxToolName || !plainName(name):
		l.omit(name, false, "its name is empty, has more than %d bytes, or has parentheses or characters that nobody sees", maxToolName)
		return
	case n.tasks.has(name):
		l.omit(name, false, "it runs only as a task, and this program runs none")
		return
	case l.seen[name]:
		l.omit(name, false, "the server lists it twice")
		return
	case len(input) > maxSchema || levels(described.InputSchema) > maxLevels:
		l.omit(name, false, "its schema has more than %d KiB or %d levels", maxSchema>>10, maxLevels)
		return
	case len(described.Description) > maxDescription:
		l.omit(name, false, "its description has more than %d KiB", maxDescription>>10)
		return
	case l.size+size > maxListed:
		l.omit(name, false, "the tools before it take %d KiB", maxListed>>10)
		return
	default:
		if _, err := schema.Normalize(input); err != nil {
			l.omit(name, false, "%v", err)
			return
		}
		l.size += size
	}
	l.seen[name] = true
	t := &Tool{connection: n, described: described, timeout: c.timeout, own: c.own, ui: uiOf(described.Meta)}
	t.definition = tool.Definition{
		Name: wireName(n.server.name, name), Description: described.Description, Parameters: inOrder(described.InputSchema, input, written), Origin: tool.MCP,
		Server: n.server.name, ServerTitle: c.title, ServerTool: name, Title: t.title(),
		ReadOnly: described.Annotations != nil && described.Annotations.ReadOnlyHint, Preloaded: c.preloaded,
	}
	t.definitions, l.definitions[name] = l.definitions, definitionOf(described, input)
	l.tools = append(l.tools, t)
}

// inOrder returns the schema of a tool with the properties in the order in which the server has written them, if that is known.
func inOrder(fields any, input, written json.RawMessage) json.RawMessage {
	if _, object := fields.(map[string]any); object && written != nil {
		if ordered, err := arranged(fields, written); err == nil {
			return ordered
		}
	}
	return input
}

// definitionOf is what an approval of a tool is bound to. The order of properties does not count: some servers have another one
// each time.
func definitionOf(described *sdk.Tool, input json.RawMessage) permit.Definition {
	annotations, err := json.Marshal(described.Annotations)
	if err != nil {
		annotations = nil // what cannot be written was not sent as JSON
	}
	whole, err := json.Marshal([]string{described.Description, string(input), string(annotations)})
	if err != nil {
		whole = input
	}
	return permit.Definition{Digest: projectfiles.Digest(whole), Description: described.Description, Schema: string(input)}
}

// uiOf reads the metadata of a tool for MCP Apps; nil if it has none.
func uiOf(meta sdk.Meta) *UI {
	block, ok := meta["ui"].(map[string]any)
	if !ok {
		return nil
	}
	ui := &UI{}
	ui.ResourceURI, _ = block["resourceUri"].(string)
	seen, _ := block["visibility"].([]any)
	for _, one := range seen {
		if who, ok := one.(string); ok {
			ui.Visibility = append(ui.Visibility, who)
		}
	}
	return ui
}

// shows reports whether the model, or an app, may call the tool.
func (t *Tool) shows(who string) bool {
	return t.ui == nil || len(t.ui.Visibility) == 0 || slices.Contains(t.ui.Visibility, who)
}

// title is the name of the tool for users. It is in the events of each call.
func (t *Tool) title() string {
	noted := ""
	if t.described.Annotations != nil {
		noted = t.described.Annotations.Title
	}
	return fault.Bounded(invisible.Show(cmp.Or(t.described.Title, noted, t.described.Name)))
}

// Definition implements [tool.Tool].
func (t *Tool) Definition() tool.Definition { return t.definition }

// Request implements [tool.Asker].
func (t *Tool) Request(_ context.Context, c tool.Call) (*permit.Request, *tool.Result) {
	return &permit.Request{
		Kind: permit.MCP, Tool: t.definition.Name, Server: t.definition.Server, ServerTool: t.definition.ServerTool, Title: t.definition.Title,
		Args: c.Arguments, ReadOnly: t.definition.ReadOnly,
		OwnServer: t.own, Definitions: t.definitions,
	}, nil
}

// Tools implements [tool.Source]: the tools of all servers that are connected, in the order of
// the names of the servers. Each has a name of its own.
func (s *Set) Tools() []tool.Tool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.offered != nil {
		return s.offered
	}
	var all []*Tool
	for _, v := range s.sorted() {
		for _, t := range v.tools {
			if t.shows("model") {
				all = append(all, t)
			}
		}
	}
	s.offered = distinct(all)
	return s.offered
}

// Changed implements [tool.Source].
func (s *Set) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.next()
}
