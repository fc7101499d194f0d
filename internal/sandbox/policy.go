package sandbox

import (
	"fmt"
	"path/filepath"
	"slices"
)

// Mode is how much a sandbox allows.
type Mode string

const (
	// ReadOnly allows writing only to the private home folder and the private /tmp.
	ReadOnly Mode = "read-only"
	// WorkspaceWrite also allows writing in the allowed folders, except to files that make
	// other programs run by themselves.
	WorkspaceWrite Mode = "workspace-write"
)

// Policy is what the commands in one sandbox may do. Two commands with equal policies share
// a sandbox. All paths are absolute, with their links resolved.
type Policy struct {
	// Mode has no default.
	Mode Mode
	// Folders are the allowed folders of the session, the primary one first. They can be
	// read, and in [WorkspaceWrite] written.
	Folders []string
	// Read and Write are further files and folders that can be read, and written. Write
	// holds only in [WorkspaceWrite].
	Read, Write []string
	// Deny are files and folders below the others that can be neither read nor written;
	// Protect are those that cannot be written. Only those that exist when the sandbox
	// starts are covered.
	Deny, Protect []string
	// ProtectNames are patterns of names, such as ".vscode" or "*.code-workspace", and of
	// the ends of paths, such as ".cargo/config.toml": files and folders in Folders and Write
	// that cannot be written either, except in node_modules. What a limit in look.go leaves unseen,
	// and what cannot be read, cannot be written as a whole. In a name * and ? stay within
	// one folder. The .git folders of nested repositories cannot be written either.
	ProtectNames []string
	// Git makes the .git folders of Folders writable, except for their settings and hooks.
	// Only in [WorkspaceWrite].
	Git bool
	// Unread says that nobody has read the commands, and keeps them apart from those of an otherwise
	// equal policy: neither their files in /tmp and in the private home nor their processes reach those.
	Unread bool
	// Network allows connections to hosts, through a proxy that this program runs. The
	// zero value allows none.
	Network Network
	// NoTools keeps the toolchains of the home folder and of the environment out. Those in the
	// folders of the system can be read in any case.
	NoTools bool
}

// Network says to which hosts the commands of a sandbox may connect. A Deny takes precedence
// over everything.
type Network struct {
	// Allow and Deny are hosts: "example.com", "*.example.com", "example.com:8443"; "*" is
	// every host. Without a port, Allow holds for the ports 80 and 443.
	Allow, Deny []string
	// AllowURLs and DenyURLs are the arguments of rules for addresses, as package permit
	// reads them; an empty one is every address.
	AllowURLs, DenyURLs []string
	// Local allows addresses of this machine and of its local network, where the others allow
	// the host.
	Local bool
	// Upstream is the address of the proxy through which the user's network reaches the
	// internet, perhaps with a password; "" is that of the environment.
	Upstream string
}

// enabled reports whether any connection is allowed.
func (n Network) enabled() bool { return len(n.Allow) > 0 || len(n.AllowURLs) > 0 }

// Key identifies the policy: policies with equal keys share a sandbox.
func (p Policy) Key() string {
	return fmt.Sprintf("%#v", p) // JSON would be the same for names that are not UTF-8
}

// Shows reports whether a folder of the machine is at the same path inside, as one of the
// allowed folders or in one.
func (p Policy) Shows(folder string) bool {
	clean := filepath.IsAbs(folder) && filepath.Clean(folder) == folder
	return clean && slices.ContainsFunc(p.Folders, func(f string) bool { return within(f, folder) })
}

// allowed returns the folders in which commands may write in [WorkspaceWrite].
func (p Policy) allowed() []string { return slices.Concat(p.Folders, p.Write) }

// writes reports whether commands may write in the allowed folders.
func (p Policy) writes() bool { return p.Mode == WorkspaceWrite }
