package approval

import (
	"context"
	"errors"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/shellword"
)

// ServerGrant is what the user lets an MCP server of a project do beside what its sandbox allows. It holds for
// one definition of the server: with another one, nothing of it counts.
type ServerGrant struct {
	// Project is the folder of the project, resolved, and Server the name of the server in it.
	Project string `json:"project"`
	Server  string `json:"server"`
	// Digest is that of the definition as it is written in its file.
	Digest string `json:"sha256"`
	// Hosts are those that the server may connect to, in the form of [sandbox.Network]. Folders are those
	// beside the folders of the session that it may read and write, resolved.
	Hosts   []string `json:"hosts,omitempty"`
	Folders []string `json:"folders,omitempty"`
	// Outside starts it outside of any sandbox.
	Outside bool `json:"outside,omitempty"`
}

// about reports whether a grant is one for a server, with any definition.
func (s ServerGrant) about(project, server string) bool {
	return s.Project == project && s.Server == server
}

// ServerGrants returns what the user has granted to servers of a project, also for definitions that they no
// longer have.
func (g *Grants) ServerGrants(project string) ([]ServerGrant, error) {
	b, err := g.read()
	return slices.DeleteFunc(b.Servers, func(s ServerGrant) bool { return s.Project != project }), err
}

// GrantServer replaces what was granted to a server before.
func (g *Grants) GrantServer(s ServerGrant) error {
	return g.change(func(b *grantsFile) {
		b.Servers = append(slices.DeleteFunc(b.Servers, func(old ServerGrant) bool { return old.about(s.Project, s.Server) }), s)
	})
}

// RevokeServer undoes [Grants.GrantServer]. [fault.NotFound] if nothing was granted.
func (g *Grants) RevokeServer(project, server string) error {
	list, err := g.ServerGrants(project)
	if err != nil {
		return err
	}
	about := func(s ServerGrant) bool { return s.about(project, server) }
	if !slices.ContainsFunc(list, about) {
		return fault.New(fault.NotFound, "mcp.grant", server, "nothing is granted to this server of the project")
	}
	return g.change(func(b *grantsFile) { b.Servers = slices.DeleteFunc(b.Servers, about) })
}

// ProjectServerPolicy returns the policy of the sandbox in which a server of a project runs; nil: outside, because
// the user has granted that or has switched the sandbox off. [fault.Unavailable] if no sandbox works here and the
// user has not granted to start it outside. project is its folder, and digest that of its definition.
func (p *Permissions) ProjectServerPolicy(ctx context.Context, project, server, digest string) (*sandbox.Policy, error) {
	if !p.Confines() {
		return nil, nil
	}
	granted := ServerGrant{Server: server}
	list, err := p.files.grants.ServerGrants(p.files.paths.RealPath(project, ""))
	if err != nil {
		return nil, err
	}
	for _, one := range list {
		if one.Server == server && one.Digest == digest {
			granted = one
		}
	}
	return withDisk(ctx, p.files, p.session.Post, everything, func(d disk) (*sandbox.Policy, error) { return p.policy.forProjectServer(d, granted) })
}

// forProjectServer returns the policy of the sandbox in which a server of a project runs: that of hooks, without
// their network, and with what the user has granted.
func (p *policy) forProjectServer(d disk, granted ServerGrant) (*sandbox.Policy, error) {
	s := p.sandboxing(d)
	if granted.Outside && !s.Required {
		return nil, nil
	}
	to, err := p.forPrograms(d, "MCP servers of the project")
	if failed := (*fault.Error)(nil); errors.As(err, &failed) && !s.Required {
		failed.Hint = "to start it outside: sidestick mcp grant " + shellword.Quote(granted.Server) + " --outside"
	}
	if to == nil || err != nil {
		return nil, err
	}
	to.Network = sandbox.Network{Allow: granted.Hosts, Deny: to.Network.Deny, DenyURLs: to.Network.DenyURLs, Upstream: to.Network.Upstream}
	if to.Mode == sandbox.ReadOnly {
		to.Read = slices.Concat(to.Read, granted.Folders)
	} else {
		to.Write = slices.Concat(to.Write, granted.Folders)
	}
	return to, nil
}
