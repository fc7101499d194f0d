package session

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// rule is what the rules say of a request, nil if a person is to be asked; the
// decision says why.
func (s *Session) rule(q permit.Request) (*permit.Answer, permit.Decision) {
	d := s.rulesFor(q).Decide(q)
	switch d.Verdict {
	case permit.Allow:
		return &permit.Answer{Outcome: permit.Approved, Why: d.Why}, d
	case permit.Deny:
		a := &permit.Answer{Outcome: permit.Forbidden, Why: d.Why}
		if d.Rule.Kind != "" {
			a.Rules = []permit.Rule{d.Rule}
		}
		return a, d
	}
	return nil, d
}

// permissionRequest is a request in the words of the protocol.
func (s *Session) permissionRequest(id string, q permit.Request, c tool.Call, d permit.Decision) *wire.PermissionRequested {
	e := &wire.PermissionRequested{RequestID: id}
	beyond := len(s.rulesFor(q).Covering(q)) > 0 && len(d.Outside) == 0
	switch q.Kind {
	case permit.Shell:
		e.PermissionRequest, e.PromptRequest = shellRequest(q, c, d, beyond)
	case permit.Read:
		e.PermissionRequest = &wire.ReadPermission{
			Path: q.Path.Name, Intention: q.Intention, ResolvedPath: wire.Optional(q.Path.Real), ToolCallID: &c.ID,
		}
		e.PromptRequest = &wire.ReadPrompt{
			Path: q.Path.Name, Intention: q.Intention, ResolvedPath: wire.Optional(q.Path.Real), ToolCallID: &c.ID,
		}
	case permit.Write:
		e.PermissionRequest = &wire.WritePermission{
			FileName: q.Path.Name, Diff: q.Diff, Intention: q.Intention, NewFileContents: q.Contents,
			CanOfferSessionApproval: beyond, ResolvedPath: wire.Optional(q.Path.Real), ToolCallID: &c.ID,
		}
		e.PromptRequest = &wire.WritePrompt{
			FileName: q.Path.Name, Diff: q.Diff, Intention: q.Intention, NewFileContents: q.Contents,
			CanOfferSessionApproval: beyond, ResolvedPath: wire.Optional(q.Path.Real), ToolCallID: &c.ID,
		}
	case permit.URL:
		e.PermissionRequest = &wire.URLPermission{
			URL: q.Address, Intention: q.Intention, RedirectedFrom: wire.Optional(q.RedirectedFrom), ToolCallID: &c.ID,
		}
		e.PromptRequest = &wire.URLPrompt{
			URL: q.Address, Intention: q.Intention, RedirectedFrom: wire.Optional(q.RedirectedFrom), ToolCallID: &c.ID,
		}
	default:
		e.PermissionRequest = &wire.CustomToolPermission{
			ToolName: q.Tool, ToolDescription: q.Description, Args: q.Args, ToolCallID: &c.ID,
			ManagedApprovalRequired: wire.Optional(q.Personal), // so that programs that approve everything do not
		}
		e.PromptRequest = &wire.CustomToolPrompt{
			ToolName: q.Tool, ToolDescription: q.Description, Args: q.Args, ToolCallID: &c.ID,
		}
	}
	if len(d.Outside) > 0 && q.Kind != permit.Write { // a write is shown with its diff
		e.PromptRequest = &wire.PathPrompt{AccessKind: wire.PathAccess(q.Kind), Paths: d.Outside, ToolCallID: &c.ID}
	}
	return e
}

// shellRequest is a request to run a command. Why it is asked about is its warning.
func shellRequest(q permit.Request, c tool.Call, d permit.Decision, beyond bool) (wire.PermissionRequest, wire.PermissionPrompt) {
	r := &wire.ShellPermission{
		FullCommandText: q.Command.Text, Intention: q.Intention, HasWriteFileRedirection: q.Command.Redirects,
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
	if q.Command.Unclear != "" || len(d.Outside) > 0 {
		r.Warning = &d.Why
	}
	if ids == nil {
		ids = []string{}
	}
	return r, &wire.CommandsPrompt{
		FullCommandText: q.Command.Text, Intention: q.Intention, CommandIdentifiers: ids,
		CanOfferSessionApproval: beyond, ToolCallID: &c.ID, Warning: r.Warning,
	}
}

// askedFor is the request that an event told of, as far as approvals need it: all of
// it is in the log, so that an answer means the same after a resume.
func askedFor(data wire.Raw) permit.Request {
	about := data.Get("permissionRequest")
	q := permit.Request{Kind: permit.Kind(about.Get("kind").Text()), Tool: about.Get("toolName").Text(), Address: about.Get("url").Text()}
	q.Personal = about.Get("managedApprovalRequired").True()
	switch q.Kind {
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

// permissionResult is an answer in the words of the protocol.
func permissionResult(a permit.Answer) wire.PermissionResult {
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
