package mcp

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/obs"
)

// Outline is what users are shown of the configuration of a server: no values of variables and
// headers, no arguments but one.
type Outline struct {
	// Transport is "stdio", "http" or "sse".
	Transport string
	// Target is the program with its first argument that is no flag, or the address without
	// user and query.
	Target string
	// Variables and Headers are the names of those that are configured, in order.
	Variables, Headers []string
}

// OutlineOf returns the outline of a configuration. [fault.Invalid] if it is not valid.
func OutlineOf(name string, sent json.RawMessage) (Outline, error) {
	c, err := parse(name, sent)
	if err != nil {
		return Outline{}, err
	}
	o := Outline{
		Transport: c.transport, Target: c.command,
		Variables: slices.Sorted(maps.Keys(c.env)), Headers: slices.Sorted(maps.Keys(c.headers)),
	}
	if !c.local() {
		u, err := url.Parse(c.url)
		if err != nil {
			return Outline{}, err // parse has checked it
		}
		u.User, u.RawQuery, u.Fragment = nil, "", ""
		o.Target = u.String()
		return o, nil
	}
	// Options can hold secrets, and the rest can be long: what is left out is marked.
	i := slices.IndexFunc(c.args, func(arg string) bool { return !strings.HasPrefix(arg, "-") })
	switch {
	case i >= 0:
		if i > 0 {
			o.Target += " …"
		}
		o.Target += " " + c.args[i]
		if i < len(c.args)-1 {
			o.Target += " …"
		}
	case len(c.args) > 0:
		o.Target += " …"
	}
	return o, nil
}

// Conceal makes the secrets of a configuration known to a redactor: its headers, the secrets in its
// address, and the values of its variables.
func Conceal(sent json.RawMessage, r *obs.Redactor) {
	c, err := parse("", sent)
	if err != nil {
		return
	}
	r.AddURL(c.url)
	for name, value := range c.headers {
		r.AddHeader(name, value)
	}
	for _, value := range c.env {
		r.Add(value)
	}
}
