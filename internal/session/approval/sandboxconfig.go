package approval

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// SandboxChange is what a client's configuration makes of the sandbox of a session.
type SandboxChange struct {
	Settings SandboxSettings
	// Notes name the fields of the configuration that have no effect, or less than the client
	// may expect, each with the reason.
	Notes []string
}

// Warning returns the event that tells clients the notes, nil if there are none.
func (c *SandboxChange) Warning() wire.Data {
	if c == nil || len(c.Notes) == 0 {
		return nil
	}
	action := wire.ReviewSandbox
	return &wire.SessionWarning{
		WarningType: "sandbox", Message: "The sandbox is not exactly as the client has configured it: " + strings.Join(c.Notes, "; ") + ".", Remediation: &action,
	}
}

// Sandbox reads the configuration of a client, nil if it has none. program are the settings of
// this program; cwd is where relative paths begin. The error is [fault.Invalid] if a field
// cannot be honoured and ignoring it would allow more than the client does.
func (p Paths) Sandbox(given wire.Sandboxed, program SandboxSettings, cwd string) (*SandboxChange, error) {
	c, name := given.Config, "sandboxConfig"
	switch {
	case c != nil && given.Short != nil:
		return nil, fault.New(fault.Invalid, "session", "", "sandboxConfig and sandbox are two names of one setting; send one of them")
	case c == nil && given.Short == nil:
		return nil, nil
	case c == nil:
		c, name = given.Short, "sandbox"
	}
	r := sandboxReader{paths: p, cwd: cwd, name: name, config: c, to: &SandboxChange{Settings: program}}
	if err := r.read(); err != nil {
		return nil, err
	}
	return r.to, nil
}

// sandboxReader reads one configuration.
type sandboxReader struct {
	paths  Paths
	cwd    string
	name   string // of the parameter
	config *wire.SandboxConfig
	to     *SandboxChange
}

// invalid returns the error for a field.
func (r *sandboxReader) invalid(field, format string, args ...any) error {
	return fault.New(fault.Invalid, "session", "", "%s.%s: %s", r.name, field, fmt.Sprintf(format, args...))
}

// note notes that a field does not have the effect that a client may expect.
func (r *sandboxReader) note(field, why string) {
	r.to.Notes = append(r.to.Notes, r.name+"."+field+" "+why)
}

func (r *sandboxReader) read() error {
	c, s := r.config, &r.to.Settings
	for _, field := range c.Unknown {
		r.note(field, "is not known here")
	}
	switch {
	case c.Enabled == nil:
		return r.invalid("enabled", "it is missing; send true or false")
	case !*c.Enabled:
		if why := s.staysOn(aClient); why != "" {
			return r.invalid("enabled", "%s", why)
		}
		s.On, s.Required, s.Explicit, s.Why = false, false, false, "the client has switched the sandbox off"
		return nil
	}
	excluded, err := permit.ExcludedRules(c.Excluded, r.name+".excludedCommands")
	if err != nil {
		return err
	}
	s.On, s.Explicit, s.AllowBypass, s.Excluded = true, true, c.AllowBypass, slices.Concat(s.Excluded, excluded)
	s.AutoAllow = s.AutoAllow || c.AutoAllow
	s.Required = s.Required || c.FailIfUnavailable == nil || *c.FailIfUnavailable
	s.FreeServers = c.MCPServers != nil && !*c.MCPServers
	s.NoTools = c.DevTools != nil && !*c.DevTools
	r.credentials()
	if err := r.files(); err != nil {
		return err
	}
	return r.network()
}

// credentials notes the credentials that commands do not get.
func (r *sandboxReader) credentials() {
	c := r.config
	for field, on := range map[string]bool{"auth.git": c.Auth.Git, "auth.gh": c.Auth.Gh} {
		if on {
			r.note(field, "has no effect: commands in the sandbox get no credentials")
		}
	}
	if p := c.UserPolicy; p.Seatbelt.KeychainAccess || p.Experimental.Seatbelt.KeychainAccess {
		r.note("userPolicy.seatbelt.keychainAccess", "has no effect: commands in the sandbox get no credentials")
	}
	slices.Sort(r.to.Notes)
}

// files reads what commands can reach.
func (r *sandboxReader) files() (err error) {
	f, s := r.config.UserPolicy.Filesystem, &r.to.Settings
	if s.Read, err = r.list("readonlyPaths", f.Readonly, "nothing is added for it"); err != nil {
		return err
	}
	if s.Write, err = r.list("readwritePaths", f.Readwrite, "nothing is added for it"); err != nil {
		return err
	}
	if s.Deny, err = r.list("deniedPaths", f.Denied, "a command may make it and read it"); err != nil {
		return err
	}
	s.Shown = slices.Concat(s.Read, s.Write)
	for _, path := range s.Deny {
		s.Denies = append(s.Denies, permit.DenyPath(path, r.name+".userPolicy.filesystem.deniedPaths")...)
	}
	if dir := r.config.WorkingDir; dir != nil && !*dir {
		s.KeepDir = true
		r.note("addCurrentWorkingDirectory", "keeps commands from writing in the working directory; they can still read it, because they start in it")
	}
	return nil
}

// list resolves paths. missing says what follows if one does not exist.
func (r *sandboxReader) list(field string, paths []string, missing string) (resolved []string, err error) {
	field = "userPolicy.filesystem." + field
	for _, path := range paths {
		if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') {
			return nil, r.invalid(field, "%q: ~ is not expanded; write the path of the home folder", path)
		}
		real := r.paths.RealPath(path, r.cwd)
		switch {
		case real == "":
			return nil, r.invalid(field, "it cannot be known where %q leads", path)
		case real == "/":
			return nil, r.invalid(field, "%q is the whole file system, which no sandbox can hold", path)
		}
		if _, err := r.paths.FS.Stat(real); errors.Is(err, fs.ErrNotExist) || errors.Is(err, os.ErrNotExist) {
			r.note(field, fmt.Sprintf("names %s, which does not exist now: %s", strconv.Quote(path), missing))
		}
		if !slices.Contains(resolved, real) {
			resolved = append(resolved, real)
		}
	}
	return resolved, nil
}

// network reads where commands can connect to. Absent fields allow every host, as in the
// reference runtime.
func (r *sandboxReader) network() (err error) {
	n, s := r.config.UserPolicy.Network, &r.to.Settings
	const field = "userPolicy.network."
	to := sandbox.Network{Deny: n.Blocked, Local: n.Local}
	switch {
	case n.Outbound != nil && !*n.Outbound && len(n.Allowed) > 0:
		r.note(field+"allowedHosts", "has no effect, because allowOutbound is false")
	case n.Outbound != nil && !*n.Outbound:
	case len(n.Allowed) > 0:
		to.Allow = n.Allowed
	default:
		to.Allow = []string{"*"}
	}
	if len(to.Allow) == 0 && n.Local {
		r.note(field+"allowLocalNetwork", "has no effect, because allowOutbound is false")
	}
	if s.Hosts.Allow, err = r.hosts(field+"allowedHosts", to.Allow); err != nil {
		return err
	}
	if s.Hosts.Deny, err = r.hosts(field+"blockedHosts", n.Blocked); err != nil {
		return err
	}
	to.Upstream, err = r.upstream(n.Proxy)
	s.Network = &to
	return err
}

// hosts returns the rules for a list of hosts.
func (r *sandboxReader) hosts(field string, hosts []string) (rules []permit.Rule, err error) {
	for _, host := range hosts {
		of, err := permit.HostRules([]string{host}, r.name+"."+field)
		if err != nil {
			return nil, r.invalid(field, "%q: %s", host, fault.Message(err))
		}
		rules = append(rules, of...)
	}
	return rules, nil
}

// upstream returns the address of the user's proxy, with its password.
func (r *sandboxReader) upstream(p *wire.SandboxNetworkProxy) (string, error) {
	const field = "userPolicy.network.proxy."
	if p == nil {
		return "", nil
	}
	u, err := url.Parse(p.URL)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", r.invalid(field+"url", "it is not the address of a proxy, such as http://proxy.example:3128, with http or https")
	}
	port, err := strconv.ParseUint(cmp.Or(u.Port(), "1"), 10, 16)
	switch {
	case u.User != nil:
		return "", r.invalid(field+"url", "it has a user or a password; send them as username and password")
	case err != nil || port == 0:
		return "", r.invalid(field+"url", "a port is a number from 1 to 65535")
	case strings.HasPrefix(p.Password, "$"):
		return "", r.invalid(field+"password", "references to secrets and variables are not resolved; send the password")
	}
	if p.Username != "" || p.Password != "" {
		u.User = url.UserPassword(p.Username, p.Password)
	}
	return u.String(), nil
}
