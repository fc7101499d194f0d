package config

import "strings"

// LocalOff is the value of LocalServers that has no server looked for.
const LocalOff = "off"

// Sources returns the providers whose models can be used, as far as the configuration tells: the
// one in use first, then the vendors that have a key or an address, then the one that gets models
// whose names have no provider. No two have the same address. Models are not set. Missing is nil
// in all but the first. stored reports whether package keys has a key of that name.
func (c Config) Sources(stored func(keyName string) bool) (all []Provider) {
	seen := map[string]bool{}
	add := func(p Provider) {
		p.Model, p.WireModel = "", ""
		if at := serverOf(p.BaseURL); !seen[at] {
			seen[at] = true
			all = append(all, p)
		}
	}
	inUse := func() {
		if p := c.Provider(); p.Kind != None && (p.Kind != OpenAI || p.From != Default) {
			add(p)
		}
	}
	inUse()
	for _, v := range vendors() {
		_, set := c.Vendors[v.name]
		if v.name == "openai" && c.BaseURL.Value != "" && c.BaseURL.From != Default { // its variable has the key of another server
			continue
		}
		p, ok := c.Named(v.name + ":*")
		callable := p.Missing == nil && (p.NoKey == nil || p.Key != "" || stored(p.KeyName))
		if ok && callable && (set || !v.local) {
			add(p)
		}
	}
	c.Model.Value = ""
	inUse()
	return all
}

// SameServer reports whether two base URLs are of one server: Ollama has an API of its own, and chat
// completions below /v1.
func SameServer(a, b string) bool { return serverOf(a) == serverOf(b) }

func serverOf(baseURL string) string {
	return strings.TrimSuffix(strings.TrimRight(baseURL, "/"), "/v1")
}

// Locals returns the servers of models that may run on this machine: those of the setting, or else
// those at the usual ports. Models are not set.
func (c Config) Locals() (all []Provider) {
	var names []string
	switch set := c.LocalServers.Value; set {
	case LocalOff:
		return nil
	case "":
		for _, v := range vendors() {
			if v.local {
				names = append(names, v.name+":*")
			}
		}
	default:
		for address := range strings.SplitSeq(set, ",") {
			names = append(names, strings.TrimRight(strings.TrimSpace(address), "/")+"#*")
		}
	}
	for _, name := range names {
		if p, ok := c.Named(name); ok && p.Missing == nil {
			p.Model, p.WireModel = "", ""
			all = append(all, p)
		}
	}
	return all
}

// checkLocal refuses a list with what is not an address.
func (c *Config) checkLocal() error {
	s := c.LocalServers
	if s.Value == "" || s.Value == LocalOff {
		return nil
	}
	for address := range strings.SplitSeq(s.Value, ",") {
		if !isAddress(strings.TrimSpace(address)) || strings.Contains(address, "#") || strings.Contains(address, "@") {
			return invalid(s.From, "give base URLs such as http://127.0.0.1:8000/v1, separated by commas, or off", "%q is not the address of a server", ShowURL(strings.TrimSpace(address)))
		}
	}
	return nil
}
