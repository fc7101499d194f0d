package registry

import (
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
)

// ServerGrants are what the user has granted to the servers of a project, by the names of the servers. A grant for
// another definition than that of the server has no effect.
func (t TrustedFolders) ServerGrants(project string) (map[string]approval.ServerGrant, error) {
	list, err := t.r.home.Grants.ServerGrants(t.r.home.Paths.RealPath(project, t.r.opts.Cwd))
	granted := map[string]approval.ServerGrant{}
	for _, one := range list {
		granted[one.Server] = one
	}
	return granted, err
}

// GrantServer grants a server of a project, as it is defined now, hosts and folders beside what its sandbox allows, or
// to run outside of it. It takes the place of what was granted before. [fault.Invalid] if a folder does not exist.
func (t TrustedFolders) GrantServer(project string, server mcp.Found, hosts, folders []string, outside bool) error {
	granted := approval.ServerGrant{
		Project: t.r.home.Paths.RealPath(project, t.r.opts.Cwd), Server: server.Name, Digest: mcp.DefinitionDigest(server.Written), Hosts: hosts, Outside: outside,
	}
	for _, folder := range folders {
		real := t.r.home.Paths.RealPath(folder, t.r.opts.Cwd)
		if info, err := t.r.opts.FS.Stat(real); real == "" || err != nil || !info.IsDir() {
			return fault.New(fault.Invalid, "mcp.grant", folder, "it is not a folder")
		}
		granted.Folders = append(granted.Folders, real)
	}
	return t.r.home.Grants.GrantServer(granted)
}

// RevokeServer takes back what was granted to a server of a project. [fault.NotFound] if nothing was.
func (t TrustedFolders) RevokeServer(project, server string) error {
	return t.r.home.Grants.RevokeServer(t.r.home.Paths.RealPath(project, t.r.opts.Cwd), server)
}
