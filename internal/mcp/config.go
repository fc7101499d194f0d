package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The transports, named as in the events of the protocol.
const (
	transportStdio = "stdio"
	transportHTTP  = "http"
	transportSSE   = "sse"
)

// config is the configuration of one server.
type config struct {
	transport string
	own       bool // of a server that this program has added

	// A program.
	command string
	args    []string
	env     map[string]string
	dir     string // "": the working directory of the session

	// A web service.
	url     string
	headers map[string]string
	// headersTTL is how long headers that clients give are kept; 0: clients are not asked.
	headersTTL time.Duration
	// A client that is registered at the authorization server; "": this program registers itself.
	clientID     string
	publicClient *bool
	grantType    wire.MCPGrantType
	scopes       []string // to ask for in addition
	issuer       string   // one more that the user accepts in the metadata of the authorization server; "": none

	tools    []string // the tools to offer; nil: all
	excluded []string // the tools that are not offered
	timeout  time.Duration
	// preloaded tools are never deferred.
	preloaded bool

	project projectMark // zero for a server that no file of a project configures

	title  string // for users; "" if none is configured
	source string // "user", "workspace", "plugin" or "builtin"; "" if the client did not say
	text   []byte // the configuration as it was sent, compact; two equal ones are the same server
}

// maxTimeout is the longest time limit that a client can configure.
const maxTimeout = 24 * time.Hour

// parse reads a configuration as clients send it. indirect says that the values of env are
// names of variables. The error is [fault.Invalid].
func parse(name string, sent json.RawMessage) (config, error) {
	invalid := func(format string, args ...any) (config, error) {
		return config{}, fault.New(fault.Invalid, "mcp.configure", name, format, args...)
	}
	var w wire.MCPServerConfig
	if err := json.Unmarshal(sent, &w); err != nil {
		return invalid("the configuration cannot be read: %w", fault.JSON(err))
	}
	c := config{
		transport: w.Type, command: w.Command, args: w.Args, env: w.Env, dir: w.Cwd, url: w.URL, headers: w.Headers,
		clientID: w.ClientID, publicClient: w.PublicClient, grantType: w.GrantType, scopes: w.Scopes, issuer: w.Issuer,
		tools: w.Tools, excluded: w.Excluded, preloaded: w.Defer == wire.DeferNever || w.AlwaysLoad,
		title: w.DisplayName, source: w.Source, text: compact(sent),
	}
	if err := json.Unmarshal(sent, &c.project); err != nil {
		return invalid("the configuration cannot be read: %w", fault.JSON(err))
	}
	if w.Defer != "" && w.Defer != "auto" && w.Defer != wire.DeferNever {
		return invalid(`deferTools is %q, want "auto" or "never"`, fault.Bounded(w.Defer))
	}
	c.timeout, c.headersTTL = milliseconds(w.Timeout), milliseconds(w.HeadersTTL)
	if slices.Contains(c.tools, "*") {
		c.tools = nil
	}
	c.clientID, c.scopes = cmp.Or(c.clientID, w.OAuth.ClientID), append(slices.Clip(c.scopes), strings.Fields(w.OAuth.Scopes)...)
	switch {
	case c.transport == "" && c.command == "" && c.url != "", c.transport == "streamable-http":
		c.transport = transportHTTP
	case c.transport == "", c.transport == "local":
		c.transport = transportStdio
	}
	switch c.transport {
	case transportStdio:
		if c.command == "" {
			return invalid("the configuration has no command")
		}
		for _, text := range append([]string{c.command, c.dir}, c.args...) {
			if strings.Contains(text, "\x00") {
				return invalid("the command contains a zero byte")
			}
		}
	case transportHTTP, transportSSE:
		u, err := url.Parse(c.url)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return invalid("url %q is not an http or https URL", c.url)
		}
	case "ws":
		return invalid(`type "ws" is not supported: this version speaks no MCP over WebSocket; if the server has an address that begins with http, configure that one`)
	default:
		return invalid(`type is %q, want "stdio", "http" or "sse"`, c.transport)
	}
	return c, nil
}

// milliseconds is a time that a client has configured, within bounds.
func milliseconds(n float64) time.Duration {
	return time.Duration(min(max(n, 0), float64(maxTimeout.Milliseconds()))) * time.Millisecond
}

// Transport returns the transport of a configuration: "stdio", "http" or "sse"; "" if it is not
// valid.
func Transport(config json.RawMessage) string {
	c, err := parse("", config)
	if err != nil {
		return ""
	}
	return c.transport
}

// WithSource returns a configuration with a source, which clients see.
func WithSource(config json.RawMessage, source string) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(config, &fields) != nil || fields == nil {
		return config // the error is that of the server
	}
	fields["source"] = json.RawMessage(`"` + source + `"`)
	with, err := json.Marshal(fields)
	if err != nil {
		return config
	}
	return with
}

func compact(sent json.RawMessage) []byte {
	var out bytes.Buffer
	if json.Compact(&out, sent) != nil {
		return sent
	}
	return out.Bytes()
}

// offers reports whether a tool of the server is offered.
func (c *config) offers(tool string) bool {
	return (c.tools == nil || slices.Contains(c.tools, tool)) && !slices.Contains(c.excluded, tool)
}

// local reports whether the server is a program.
func (c *config) local() bool { return c.transport == transportStdio }

// keysIn returns the values of variables whose names suggest a key, except for those that look
// like a path or a text.
func keysIn(env map[string]string) map[string]string {
	keys := map[string]string{}
	for name, value := range env {
		if obs.NamesSecret(name) && !strings.ContainsAny(value, `/\ `) {
			keys[name] = value
		}
	}
	return keys
}
