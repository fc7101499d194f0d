package approval

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// newEvent returns the protocol's event for a request. beyond says whether more than this
// one call can be approved.
func newEvent(id string, q *permit.Request, c *tool.Call, d *permit.Placed, beyond bool) *wire.PermissionRequested {
	e := &wire.PermissionRequested{RequestID: id}
	switch q.Kind {
	case permit.Shell:
		e.PermissionRequest, e.PromptRequest = shellRequest(q, c, d, beyond)
	case permit.Read:
		e.PermissionRequest = &wire.ReadPermission{
			ManagedApprovalRequired: wire.Optional(d.Managed),
			Path:                    q.Path.Name, Intention: q.Intention, ResolvedPath: wire.Optional(q.Path.Real), ToolCallID: &c.ID,
		}
		e.PromptRequest = &wire.ReadPrompt{
			Path: q.Path.Name, Intention: q.Intention, ResolvedPath: wire.Optional(q.Path.Real), ToolCallID: &c.ID,
		}
	case permit.Write:
		e.PermissionRequest = &wire.WritePermission{
			ManagedApprovalRequired: wire.Optional(d.Managed),
			FileName:                q.Path.Name, Diff: q.Diff, Intention: q.Intention, NewFileContents: q.Contents,
			CanOfferSessionApproval: beyond, ResolvedPath: wire.Optional(q.Path.Real), ToolCallID: &c.ID,
		}
		e.PromptRequest = &wire.WritePrompt{
			FileName: q.Path.Name, Diff: q.Diff, Intention: q.Intention, NewFileContents: q.Contents,
			CanOfferSessionApproval: beyond, ResolvedPath: wire.Optional(q.Path.Real), ToolCallID: &c.ID,
		}
	case permit.URL:
		e.PermissionRequest = &wire.URLPermission{
			ManagedApprovalRequired: wire.Optional(d.Managed),
			URL:                     q.Address, Intention: q.Intention, RedirectedFrom: wire.Optional(q.RedirectedFrom), ToolCallID: &c.ID,
		}
		e.PromptRequest = &wire.URLPrompt{
			URL: q.Address, Intention: q.Intention, RedirectedFrom: wire.Optional(q.RedirectedFrom), ToolCallID: &c.ID,
		}
	case permit.MCP:
		e.PermissionRequest = &wire.MCPPermission{
			ServerName: q.Server, ToolName: q.ServerTool, ToolTitle: q.Title, Args: q.Args, ReadOnly: q.ReadOnly, ToolCallID: &c.ID,
		}
		e.PromptRequest = &wire.MCPPrompt{ServerName: q.Server, ToolName: q.ServerTool, ToolTitle: q.Title, Args: q.Args, ToolCallID: &c.ID}
	default:
		e.PermissionRequest = &wire.CustomToolPermission{
			ToolName: q.Tool, ToolDescription: q.Description, Args: q.Args, ToolCallID: &c.ID,
			ManagedApprovalRequired: wire.Optional(q.Personal), // keeps programs that approve everything from approving it
		}
		e.PromptRequest = &wire.CustomToolPrompt{
			ToolName: q.Tool, ToolDescription: q.Description, Args: q.Args, ToolCallID: &c.ID,
		}
	}
	if len(d.Outside) > 0 && q.Kind != permit.Write { // a write shows its diff instead
		e.PromptRequest = &wire.PathPrompt{AccessKind: wire.PathAccess(q.Kind), Paths: d.Outside, ToolCallID: &c.ID}
	}
	return e
}

// shellRequest returns a request to run a command. Its warning says why the user is asked.
func shellRequest(q *permit.Request, c *tool.Call, d *permit.Placed, beyond bool) (wire.PermissionRequest, wire.PermissionPrompt) {
	r := &wire.ShellPermission{
		ManagedApprovalRequired: wire.Optional(d.Managed),
		FullCommandText:         q.Command.Text, Intention: q.Intention, HasWriteFileRedirection: q.Command.Redirects,
		CanOfferSessionApproval: beyond, ToolCallID: &c.ID, ResolvedWorkingDirectory: wire.Optional(q.Command.Dir),
		Commands: []wire.ShellCommand{}, PossiblePaths: []string{}, PossibleURLs: []wire.ShellURL{},
	}
	var ids []string
	for _, p := range q.Command.Programs {
		r.Commands = append(r.Commands, wire.ShellCommand{Identifier: p.Name, ReadOnly: p.ReadOnly && !q.Command.Redirects})
		r.CommandSegments = append(r.CommandSegments, wire.ShellSegment{Identifier: p.Name, FullCommandText: strings.Join(p.Words, " ")})
		ids = append(ids, p.Name)
	}
	for _, p := range q.Command.Paths {
		r.PossiblePaths = append(r.PossiblePaths, p.Name)
		if p.Real != p.Name && p.Real != "" {
			if r.ResolvedPaths == nil {
				r.ResolvedPaths = map[string]string{}
			}
			r.ResolvedPaths[p.Name] = p.Real
		}
	}
	for _, u := range q.Command.URLs {
		r.PossibleURLs = append(r.PossibleURLs, wire.ShellURL{URL: u})
	}
	if q.Command.Unclear != "" || len(d.Outside) > 0 || d.NoSandbox || d.Managed || d.Doubt && q.Bypass == "" || q.Again != "" {
		r.Warning = &d.Why
	}
	if ids == nil {
		ids = []string{}
	}
	if d.AsksOutside {
		r.RequestSandboxBypass, r.RequestSandboxBypassReason = &d.AsksOutside, &d.Because
	}
	return r, &wire.CommandsPrompt{
		FullCommandText: q.Command.Text, Intention: q.Intention, CommandIdentifiers: ids,
		CanOfferSessionApproval: beyond, ToolCallID: &c.ID, Warning: r.Warning,
		RequestSandboxBypass: r.RequestSandboxBypass, RequestSandboxBypassReason: r.RequestSandboxBypassReason,
	}
}

// parseRequest returns the request in the data of an event, with the fields that approvals
// need. It uses only the event, so that a decision means the same after a resume.
func parseRequest(data wire.Raw) *permit.Request {
	about := data.Get("permissionRequest")
	q := &permit.Request{Kind: permit.Kind(about.Get("kind").Text()), Tool: about.Get("toolName").Text(), Address: about.Get("url").Text()}
	q.Personal = q.Kind == permit.CustomTool && about.Get("managedApprovalRequired").True()
	switch q.Kind {
	case permit.MCP:
		q.Server, q.ServerTool, q.Tool = about.Get("serverName").Text(), q.Tool, ""
	case permit.Shell:
		if !about.Get("canOfferSessionApproval").True() {
			q.Command.Unclear = "it can be approved only once"
		}
		for c := range about.Get("commands").Elements() {
			q.Command.Programs = append(q.Command.Programs, permit.Program{Name: c.Get("identifier").Text()})
		}
	case permit.Read:
		q.Path = permit.Path{Name: about.Get("path").Text(), Real: about.Get("resolvedPath").Text()}
	case permit.Write:
		q.Path = permit.Path{Name: about.Get("fileName").Text(), Real: about.Get("resolvedPath").Text()}
	}
	return q
}

// Result returns a decision in the protocol's form.
func Result(a permit.Answer) wire.PermissionResult {
	switch {
	case a.Outcome == permit.Approved && a.Scope != permit.Once:
		return wire.ApprovedBeyond(permit.ToWire(a.Rules), a.Location)
	case a.Outcome == permit.Approved:
		return &wire.PermissionApproved{}
	case a.Outcome == permit.Rejected:
		return &wire.PermissionRejected{Feedback: wire.Optional(a.Feedback)}
	case a.Outcome == permit.Canceled:
		return &wire.PermissionCancelled{}
	case a.Outcome == permit.Forbidden:
		return &wire.PermissionForbidden{Rules: permit.ToWire(a.Rules)}
	}
	return &wire.PermissionUnanswerable{}
}
