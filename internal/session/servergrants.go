package session

import (
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
)

// ServerGrants are what the user has granted to the servers of a project, by the names of the servers. A grant for
// another definition than that of the server has no effect.
func (r *Registry) ServerGrants(project string) (map[string]approval.ServerGrant, error) {
	list, err := r.grants.ServerGrants(r.paths.RealPath(project, r.opts.Cwd))
	granted := map[string]approval.ServerGrant{}
	for _, one := range list {
		granted[one.Server] = one
	}
	return granted, err
}

// GrantServer grants a server of a project, as it is defined now, hosts and folders beside what its sandbox allows, or
// to run outside of it. It takes the place of what was granted before. [fault.Invalid] if a folder does not exist.
func (r *Registry) GrantServer(project string, server mcp.Found, hosts, folders []string, outside bool) error {
	granted := approval.ServerGrant{
		Project: r.paths.RealPath(project, r.opts.Cwd), Server: server.Name, Digest: mcp.DefinitionDigest(server.Written), Hosts: hosts, Outside: outside,
	}
	for _, folder := range folders {
		real := r.paths.RealPath(folder, r.opts.Cwd)
		if info, err := r.opts.FS.Stat(real); real == "" || err != nil || !info.IsDir() {
			return fault.New(fault.Invalid, "mcp.grant", folder, "it is not a folder")
		}
		granted.Folders = append(granted.Folders, real)
	}
	return r.grants.GrantServer(granted)
}

// RevokeServer takes back what was granted to a server of a project. [fault.NotFound] if nothing was.
func (r *Registry) RevokeServer(project, server string) error {
	return r.grants.RevokeServer(r.paths.RealPath(project, r.opts.Cwd), server)
}
