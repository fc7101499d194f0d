package config

import (
	"math"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxPort is the largest TCP port there is.
const maxPort = 1<<16 - 1

// check puts URLs and the host in their plain form and returns the first
// setting that is wrong. guarded is [Flags.Guarded].
func (c *Config) check(guarded bool) error {
	for i, s := range []*Setting[string]{&c.BaseURL, &c.CopilotAPI, &c.GitHubAPI} {
		if err := checkURL(s, []string{"/v1", "", ""}[i]); err != nil {
			s.Value = "(not shown)" // it may be a key in the wrong variable
			return err
		}
	}
	if err := checkPort(c.Port); err != nil {
		return err
	}
	if err := misnamed(c.Model.From, c.Model.Value); err != nil {
		return err
	}
	if err := c.checkFallback(); err != nil {
		return err
	}
	if err := c.checkRetryFor(); err != nil {
		return err
	}
	if err := c.checkSilence(); err != nil {
		return err
	}
	if _, _, err := c.DeferAbove(); err != nil {
		return err
	}
	if err := c.checkToolSet(); err != nil {
		return err
	}
	if r := c.ClaudeInstructions; !slices.Contains(onOrOff(), r.Value) {
		return invalid(r.From, "write on or off", "%q is neither on nor off", r.Value)
	}
	if r := c.RepeatedCalls; !slices.Contains(repeatings(), r.Value) {
		return invalid(r.From, "stop or off", "%q is not what can be done with calls that repeat themselves", r.Value)
	}
	if r := c.RepeatedAnswers; !slices.Contains(repeatings(), r.Value) {
		return invalid(r.From, "stop or off", "%q is not what can be done with an answer that repeats itself", r.Value)
	}
	if d := c.Durability; !slices.Contains(durabilities(), d.Value) {
		return invalid(d.From, "turn, always or os", "there is no durability %q", d.Value)
	}
	if s := c.Sandbox; s.Value != "" && !slices.Contains(sandboxModes(), s.Value) {
		return invalid(s.From, "on, off, read-only or workspace-write", "there is no sandbox %q", s.Value)
	}
	if err := checkWindow(c.Clouds.OllamaWindow); err != nil {
		return err
	}
	if c.IdleTimeout.Value < 0 {
		return invalid(c.IdleTimeout.From, "give it in seconds, above 0", "a timeout cannot be negative")
	}
	if err := c.checkLocal(); err != nil {
		return err
	}
	return c.checkHost(guarded)
}

// checkURL requires a URL that a path can be appended to, and that holds no secret. The
// error does not repeat the value, which may be a key in the wrong variable, unless it is the address
// of a host without a scheme. path is what such addresses usually end with.
func checkURL(s *Setting[string], path string) error {
	if s.Value == "" {
		return nil
	}
	hint := "for example http://localhost:11434/v1"
	if meant := withScheme(s.Value, path); meant != "" {
		hint = "did you mean " + meant + "?"
	}
	u, err := url.Parse(s.Value)
	switch {
	case !strings.Contains(s.Value, "://"):
		return invalid(s.From, hint, "the URL does not begin with http:// or https://")
	case err != nil:
		return invalid(s.From, hint, "this is not a URL")
	case u.Scheme != "http" && u.Scheme != "https":
		return invalid(s.From, hint, "the URL has the scheme %s, not http or https", u.Scheme)
	case u.Hostname() == "":
		return invalid(s.From, hint, "the URL names no host")
	case u.User != nil:
		return withUser(s.From)
	}
	s.Value = strings.TrimRight(s.Value, "/")
	return nil
}

// withScheme returns the address that a text without a scheme probably stands for: that of a host
// that is localhost, an IP address or one with a port; "" if the text may be something else, such as
// a key. path is added to one without a path.
func withScheme(text, path string) string {
	u, err := url.Parse("http://" + text)
	if err != nil || strings.Contains(text, "://") || u.User != nil || u.RawQuery != "" || strings.Trim(u.Hostname(), "abcdefghijklmnopqrstuvwxyz0123456789.-:") != "" {
		return ""
	}
	_, wrong := netip.ParseAddr(u.Hostname())
	if n, err := strconv.Atoi(u.Port()); u.Hostname() != "localhost" && wrong != nil && (err != nil || n < 1 || n > maxPort) {
		return ""
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = path
	}
	return u.String()
}

// checkProxies refuses addresses of proxies that package net/http would ignore or misread. The
// error does not repeat the value, which may have a password.
func checkProxies(env environment) error {
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"} {
		s := env.get(name)
		if s.Value == "" {
			continue
		}
		address := s.Value
		if !strings.Contains(address, "://") {
			address = "http://" + address
		}
		u, err := url.Parse(address)
		if err != nil || u.Hostname() == "" || !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme) {
			return invalid(s.From, "for example http://proxy.example:3128", "this is not the address of a proxy")
		}
	}
	return nil
}

func checkPort(port Setting[int]) error {
	if port.Value < 0 || port.Value > maxPort {
		return invalid(port.From, "0 takes any free port", "%d is not a port from 0 to %d", port.Value, maxPort)
	}
	return nil
}

// checkHost refuses a server that other machines could use without a token: a client that
// reaches the port can run commands.
func (c *Config) checkHost(guarded bool) error {
	host := strings.TrimSuffix(strings.TrimPrefix(c.Host.Value, "["), "]")
	if _, err := netip.ParseAddr(host); err != nil && strings.Contains(host, ":") {
		return invalid(c.Host.From, "the port goes into --port", "%q is not an address", c.Host.Value)
	}
	c.Host.Value = host
	if !c.Loopback() && !guarded && c.ConnectionToken.Value == "" {
		return invalid(c.Host.From,
			"set COPILOT_CONNECTION_TOKEN to a secret that clients must send, or listen on 127.0.0.1",
			"other machines can reach %s, and no connection token is set", host)
	}
	return nil
}

// Loopback reports whether Host is a loopback address, which no other machine can reach.
func (c *Config) Loopback() bool {
	addr, err := netip.ParseAddr(c.Host.Value)
	return c.Host.Value == "localhost" || err == nil && addr.IsLoopback()
}

// seconds is n seconds, at most the longest duration there is (292 years).
func seconds(n int) time.Duration {
	const most = int64(math.MaxInt64 / time.Second)
	return time.Duration(min(max(int64(n), -most), most)) * time.Second
}

// The words for [Config.ToolSearch]; another value is a number.
const (
	ToolSearchAuto = "auto"
	ToolSearchOff  = "off"
)

// DeferAbove returns the number of tools above which they are deferred; chosen is false if none was chosen.
func (c Config) DeferAbove() (n int64, chosen bool, err error) {
	s := c.ToolSearch
	if s.Value == ToolSearchAuto || s.Value == ToolSearchOff || s.Value == "" {
		return 0, false, nil
	}
	n, failed := strconv.ParseInt(s.Value, 10, 32)
	if failed != nil || n < 0 {
		return 0, false, invalid(s.From, "auto, off or a number of tools", "%q is not a number of tools", s.Value)
	}
	return n, true, nil
}

// The words for [Config.ToolSet].
const (
	ToolSetAuto  = "auto"
	ToolSetSmall = "small"
	ToolSetFull  = "full"
)

func toolSets() []string { return []string{ToolSetAuto, ToolSetSmall, ToolSetFull} }

func (c Config) checkToolSet() error {
	if s := c.ToolSet; !slices.Contains(toolSets(), s.Value) {
		return invalid(s.From, "auto, small or full", "there is no tool set %q", s.Value)
	}
	return nil
}
