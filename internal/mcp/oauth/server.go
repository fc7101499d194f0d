package oauth

import (
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/dial"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Server is the address of an MCP server.
type Server struct {
	to *url.URL
	// own and others send requests to the host of the server, and to other hosts.
	own, others http.RoundTripper
}

// NewServer returns a server. [fault.Invalid] if tokens cannot be sent to it: its address must begin
// with https, or with http if it is on this machine. web sends the requests, for tests; nil: over the
// network.
//
// Other hosts may be at private addresses only if the address of the server is written as a private one,
// or as a name of this machine or of a private network ([dial.PrivateError]). To which address a name
// leads decides the owner of the name, who could open the user's network in this way.
func NewServer(address string, web http.RoundTripper) (*Server, error) {
	to, err := parseAddress(address)
	if err != nil {
		return nil, err
	}
	if web != nil {
		return &Server{to: to, own: web, others: web}, nil
	}
	var written dial.PrivateError
	private := errors.As(dial.Connector{}.CheckHost(to.Hostname(), false), &written)
	return &Server{to: to, own: dial.New(dial.Options{Private: true}), others: dial.New(dial.Options{Private: private})}, nil
}

func parseAddress(address string) (*url.URL, error) {
	to, err := url.Parse(address)
	switch {
	case err != nil || to.Host == "":
		return nil, fault.New(fault.Invalid, "mcp.login", "", "the address of the server cannot be read")
	case to.Scheme != "https" && (to.Scheme != "http" || !loopback(to.Hostname())):
		return nil, fault.New(fault.Invalid, "mcp.login", to.Host, "a token is sent only to an address that begins with https, or that is on this machine")
	}
	return to, nil
}

// Key is the address under which the tokens of a server are stored: without a fragment and the
// slash at its end, the host in small letters. "" if tokens cannot be sent there.
func Key(address string) string {
	to, err := parseAddress(address)
	if err != nil {
		return ""
	}
	key := *to
	key.Scheme, key.Host, key.Path = strings.ToLower(key.Scheme), strings.ToLower(key.Host), strings.TrimSuffix(key.Path, "/")
	key.User, key.Fragment, key.RawFragment, key.RawPath = nil, "", "", ""
	return key.String()
}

// loopback reports whether a host is this machine, by its name alone.
func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	at, err := netip.ParseAddr(host)
	return err == nil && at.Unmap().IsLoopback()
}

// origin is the part of an address up to its path.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return strings.ToLower(u.Scheme + "://" + u.Hostname() + ":" + port)
}

// endpoint reads an address of an authorization server. The error names the field.
func (s *Server) endpoint(field, address string) (*url.URL, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.User != nil || len(address) > maxAddress || strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return nil, refused(s, "its %s is not an address", field)
	case u.Scheme == "https":
	case u.Scheme == "http" && loopback(u.Hostname()) && loopback(s.to.Hostname()):
	default:
		return nil, refused(s, "its %s does not begin with https", field)
	}
	return u, nil
}

// maxAddress bounds an address, in bytes.
const maxAddress = 8 << 10

// refused is an error about what the servers have sent.
func refused(s *Server, format string, args ...any) error {
	return fault.New(fault.Unavailable, "mcp.login", s.to.Host, format, args...)
}
