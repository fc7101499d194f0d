package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// Bounds of a list of resources that the model reads.
const (
	maxResources    = 64 << 10 // bytes of the list
	maxResourceText = 400      // bytes of what is said of one
)

// ResourceServers returns the names of the servers that are connected and have resources, in order.
func (s *Set) ResourceServers() []string {
	return s.able(func(c *sdk.ServerCapabilities) bool { return c.Resources != nil })
}

// ResourceRequest returns the request of a call of a tool of this program for the resources of a server; see [tool.Resources]. An
// approval that outlasts the call holds as one of the server's own tools does.
func (s *Set) ResourceRequest(server, name string) (permit.Request, error) {
	able := s.ResourceServers()
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.named(server)
	if v == nil || !slices.Contains(able, v.name) {
		return permit.Request{}, fmt.Errorf("there is no MCP server %q that is connected and has resources; those that have: %s", server, cmp.Or(strings.Join(able, ", "), "none"))
	}
	q := permit.Request{Kind: permit.MCP, Server: v.name, ServerTool: name, Title: name, ReadOnly: true, OwnServer: v.ours}
	q.Definitions = maps.Clone(v.definitions)
	if q.Definitions == nil {
		q.Definitions = map[string]permit.Definition{}
	}
	q.Definitions[name] = permit.Definition{Digest: projectfiles.Digest([]byte("resources")), Description: "The resources of the server."}
	return q, nil
}

// ListResources returns a page of the resources of a server, and with the first page its templates, a line each; see [tool.Resources].
func (s *Set) ListResources(ctx context.Context, server, cursor string) tool.Result {
	var lines []string
	next := ""
	_, err := asked(ctx, s, server, func(ctx context.Context, c *sdk.ClientSession) (none struct{}, err error) {
		lines = nil // it may be the second time
		page, err := c.ListResources(ctx, &sdk.ListResourcesParams{Cursor: cursor})
		if err != nil {
			return none, err
		}
		for _, r := range page.Resources {
			if r != nil {
				lines = append(lines, resourceLine("", r.URI, r.Name, r.Title, r.MIMEType, r.Description))
			}
		}
		if next = page.NextCursor; cursor != "" {
			return none, nil
		}
		templates, err := c.ListResourceTemplates(ctx, nil)
		switch {
		case passing(err):
			return none, err
		case err != nil:
			return none, nil //nolint:nilerr // many servers have no templates, and answer with an error
		}
		for _, r := range templates.ResourceTemplates {
			if r != nil {
				lines = append(lines, resourceLine("template ", r.URITemplate, r.Name, r.Title, r.MIMEType, r.Description))
			}
		}
		if templates.NextCursor != "" {
			lines = append(lines, "There are more templates, which are left out.")
		}
		return none, nil
	})
	if err != nil {
		return resourceFailure(ctx, server, err)
	}
	text := ""
	for i, line := range lines {
		if len(text)+len(line) > maxResources {
			text += fmt.Sprintf("%d more are left out: the list has more than %d KiB.\n", len(lines)-i, maxResources>>10)
			break
		}
		text += line + "\n"
	}
	switch {
	case next != "":
		text += fmt.Sprintf("There are more; to go on, list them with the cursor %q.", next)
	case len(lines) == 0:
		text = "There are no resources."
	}
	return tool.Result{Outcome: tool.Success, Text: strings.TrimSuffix(text, "\n")}
}

// resourceLine says what a resource is, in one line.
func resourceLine(kind, uri, name, title, mediaType, description string) string {
	about := strings.Join(strings.Fields(strings.Join([]string{cmp.Or(title, name), mediaType, description}, " ")), " ")
	if len(about) > maxResourceText {
		about = strings.ToValidUTF8(about[:maxResourceText], "") + "…"
	}
	return kind + strings.Join(strings.Fields(uri), "%20") + "  " + about
}

// ReadResource returns a resource of a server; see [tool.Resources].
func (s *Set) ReadResource(ctx context.Context, server, uri, name string) tool.Result {
	read, err := asked(ctx, s, server, func(ctx context.Context, c *sdk.ClientSession) (*sdk.ReadResourceResult, error) {
		return c.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
	})
	if err != nil {
		return resourceFailure(ctx, server, err)
	}
	res := tool.Result{Outcome: tool.Success}
	as := &Tool{definition: tool.Definition{Name: name}}
	var texts []string
	for _, part := range read.Contents[:min(len(read.Contents), maxBlocks)] {
		if text := as.resource(&res, part); text != "" {
			texts = append(texts, text)
		}
	}
	if more := len(read.Contents) - maxBlocks; more > 0 {
		texts = append(texts, fmt.Sprintf("[%d more parts, which are left out: a resource has at most %d]", more, maxBlocks))
	}
	if res.Text = strings.Join(texts, "\n"); res.Text == "" && len(res.Files) == 0 {
		res.Text = "The resource is empty."
	}
	return res
}

// resourceFailure is the result of a call that the server did not answer.
func resourceFailure(ctx context.Context, server string, err error) tool.Result {
	if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return tool.Result{Outcome: tool.Interrupted, Text: tool.TextInterrupted}
	}
	return tool.Result{Outcome: tool.Failure, Text: fmt.Sprintf("MCP server '%s': %s", server, fault.Message(err))}
}
