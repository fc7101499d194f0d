package wiring

import (
	"cmp"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/sandbox/proxy"
)

// SandboxHost returns what starts the sandboxes of this process. Files that they keep between
// sessions, such as caches of compilers, are in the home. logger gets panics of the proxies.
func SandboxHost(cfg config.Config, logger *slog.Logger) *sandbox.Host {
	home := cli.Absolute(cfg.Home.Value)
	return sandbox.NewHost(sandbox.Options{
		State: filepath.Join(home, "sandbox"), Hide: []string{home},
		Proxy: func(n sandbox.Network) (sandbox.Proxy, error) { return newProxy(n, logger) },
	})
}

// sandboxProxy is a proxy as package sandbox uses it.
type sandboxProxy struct{ *proxy.Proxy }

// Env implements [sandbox.Proxy].
func (sandboxProxy) Env(address string) []string { return proxy.Env(address) }

// newProxy makes the proxy of a sandbox.
func newProxy(n sandbox.Network, logger *slog.Logger) (sandbox.Proxy, error) {
	rules, err := networkRules(n)
	if err != nil {
		return nil, err
	}
	upstream, err := upstreamProxy(n.Upstream)
	if err != nil {
		return nil, err
	}
	p, err := proxy.New(proxy.Options{Decide: rules.Connect, AllowLocalNetwork: n.Local, Upstream: upstream, Logger: logger})
	return sandboxProxy{p}, err
}

// networkRules returns what decides about the connections of a sandbox. Rules of the session
// for other tool calls have no part in it.
func networkRules(n sandbox.Network) (r permit.Rules, err error) {
	allow, err := permit.HostRules(n.Allow, "allowedHosts")
	if err != nil {
		return r, err
	}
	deny, err := permit.HostRules(n.Deny, "blockedHosts")
	if err != nil {
		return r, err
	}
	for _, argument := range n.AllowURLs {
		allow = append(allow, permit.Rule{Kind: permit.URL, Argument: argument})
	}
	for _, argument := range n.DenyURLs {
		deny = append(deny, permit.Rule{Kind: permit.URL, Argument: argument})
	}
	return permit.Rules{Allow: allow, Deny: deny}, nil
}

// upstreamProxy returns the proxy through which the user's network reaches the internet: that
// of the session's settings, else that of the environment; nil if neither names one. A name
// without a scheme is one of HTTP, as for curl.
func upstreamProxy(text string) (*url.URL, error) {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"} {
		text = cmp.Or(text, strings.TrimSpace(os.Getenv(name)))
	}
	if text == "" {
		return nil, nil
	}
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil { // its text may hold a password
		return nil, fault.New(fault.Invalid, "wiring.upstreamProxy", "HTTPS_PROXY", "the address of the proxy cannot be read")
	}
	return u, nil
}
