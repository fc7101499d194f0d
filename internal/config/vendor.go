package config

import (
	"cmp"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/spelling"
)

// vendor is a provider that has a name of its own. A model is named with it before a colon, as in
// "anthropic:claude-opus-5-5".
type vendor struct {
	name             string
	dialect          string                  // as in [Provider.Dialect]
	baseURL          string                  // "" if only a variable says it
	keyVariables     []string                // that have its key; the first with a value counts. At least one, unless local
	addressVariables []string                // that have another base URL
	local            bool                    // it runs on the user's machine and wants no key
	cloud            func(*Provider, Config) // fills in what only this vendor has; see clouds.go
}

// The dialects of package model. A test of package wiring compares them.
const (
	chatCompletions = "chat-completions"
	responses       = "responses"
	anthropic       = "anthropic"
	gemini          = "gemini"
	bedrock         = "bedrock"
	ollama          = "ollama"
)

// vendors are all of them, in the order in which they are listed.
// Source of addresses and variables: the documentation of each, 2026-11.
func vendors() []vendor {
	return []vendor{
		{name: "openai", dialect: responses, baseURL: openAIBase, keyVariables: []string{"OPENAI_API_KEY"}},
		{name: "anthropic", dialect: anthropic, baseURL: "https://api.anthropic.com", keyVariables: []string{"ANTHROPIC_API_KEY"}, addressVariables: []string{"ANTHROPIC_BASE_URL"}},
		{name: "gemini", dialect: gemini, baseURL: "https://generativelanguage.googleapis.com/v1beta", keyVariables: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, addressVariables: []string{"GOOGLE_GEMINI_BASE_URL"}},
		{name: "openrouter", dialect: chatCompletions, baseURL: "https://openrouter.ai/api/v1", keyVariables: []string{"OPENROUTER_API_KEY"}},
		{name: "deepseek", dialect: chatCompletions, baseURL: "https://api.deepseek.com", keyVariables: []string{"DEEPSEEK_API_KEY"}},
		{name: "mistral", dialect: chatCompletions, baseURL: "https://api.mistral.ai/v1", keyVariables: []string{"MISTRAL_API_KEY"}},
		{name: "groq", dialect: chatCompletions, baseURL: "https://api.groq.com/openai/v1", keyVariables: []string{"GROQ_API_KEY"}},
		{name: "xai", dialect: responses, baseURL: "https://api.x.ai/v1", keyVariables: []string{"XAI_API_KEY"}},
		{name: "azure", dialect: responses, keyVariables: []string{"AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"}, addressVariables: []string{"AZURE_OPENAI_ENDPOINT"}, cloud: onAzure},
		{name: "bedrock", dialect: bedrock, keyVariables: []string{"AWS_BEARER_TOKEN_BEDROCK"}, addressVariables: []string{"AWS_ENDPOINT_URL_BEDROCK_RUNTIME"}, cloud: onBedrock},
		{name: "ollama", dialect: ollama, baseURL: "http://127.0.0.1:11434", keyVariables: []string{"OLLAMA_API_KEY"}, addressVariables: []string{"OLLAMA_HOST"}, local: true, cloud: onOllama},
		{name: "lmstudio", dialect: chatCompletions, baseURL: "http://127.0.0.1:1234/v1", local: true},
		{name: "llamacpp", dialect: chatCompletions, baseURL: "http://127.0.0.1:8080/v1", local: true},
		{name: "vllm", dialect: chatCompletions, baseURL: "http://127.0.0.1:8000/v1", local: true},
	}
}

// VendorSettings are what the environment and the settings file say about a vendor.
type VendorSettings struct {
	Key     Setting[Secret]
	BaseURL Setting[string] // in place of the vendor's usual one
}

// vendors reads the keys and addresses of vendors; nil if there are none.
func (g given) vendors() (all map[string]VendorSettings) {
	for _, v := range vendors() {
		set := VendorSettings{Key: secret(g.env.all(v.keyVariables)...), BaseURL: Setting[string]{From: Unset}}
		if len(v.addressVariables) > 0 {
			set.BaseURL = g.text(addressKey(v.name), "")
		}
		if set.Key.Value == "" && set.BaseURL.Value == "" {
			continue
		}
		if all == nil {
			all = map[string]VendorSettings{}
		}
		all[v.name] = set
	}
	return all
}

// vendorKeys are the variables with the keys of vendors.
func vendorKeys(env environment) (all []Setting[string]) {
	for _, v := range vendors() {
		all = append(all, env.all(v.keyVariables)...)
	}
	return all
}

// VendorKeys are the keys of vendors.
func (c Config) VendorKeys() (all []Secret) {
	for _, set := range c.Vendors {
		if set.Key.Value != "" {
			all = append(all, set.Key.Value)
		}
	}
	return append(all, c.cloudKeys()...)
}

// Addresses are the addresses that were given, each with where it comes from. They may have
// credentials in them.
func (c Config) Addresses() []Setting[string] {
	all := []Setting[string]{c.BaseURL, c.CopilotAPI, c.GitHubAPI, c.Model, c.LocalServers}
	for _, set := range c.Vendors {
		all = append(all, set.BaseURL)
	}
	return all
}

func (e environment) all(names []string) (all []Setting[string]) {
	for _, name := range names {
		all = append(all, e.get(name))
	}
	return all
}

// Named returns the provider that the name of a model has: that of a vendor, as in
// "ollama:qwen3:8b", or an address before a number sign, as in
// "http://localhost:8000/v1#qwen3", which gets the API key of the configuration only if
// that is for this address. ok is false for other names. Missing of the provider says which
// address is missing or wrong, and NoKey that a call needs a key. A name that was meant to name a
// provider and names none has a provider without a vendor whose Missing says what is wrong with it,
// so that no other server gets what was meant for that one.
func (c Config) Named(model string) (p Provider, ok bool) {
	if address, name, found := strings.Cut(model, "#"); found && name != "" && isAddress(address) {
		p = Provider{Kind: Vendor, Dialect: chatCompletions, BaseURL: address, Model: model, WireModel: name, From: "the name of the model", KeyName: keyNameOf(address)}
		if strings.TrimRight(address, "/") == strings.TrimRight(c.BaseURL.Value, "/") {
			p.Key = c.APIKey.Value
		}
		if hasUser(address) {
			p.Missing = withUser(p.From)
		}
		return p, true
	}
	name, bare, found := strings.Cut(model, ":")
	at := slices.IndexFunc(vendors(), func(v vendor) bool { return v.name == name })
	if !found || bare == "" || at < 0 {
		if err := misnamed(ShowURL(model), model); err != nil {
			return Provider{Kind: Vendor, Model: model, From: Unset, Missing: err}, true
		}
		return Provider{}, false
	}
	v := vendors()[at]
	p = Provider{Kind: Vendor, Vendor: v.name, Dialect: v.dialect, BaseURL: v.baseURL, Model: model, WireModel: bare, From: Default, KeyName: v.name}
	set := c.Vendors[v.name]
	p.Key = set.Key.Value
	if set.BaseURL.Value != "" {
		p.BaseURL, p.From = v.addressOf(set.BaseURL.Value), set.BaseURL.From
	}
	if v.cloud != nil {
		v.cloud(&p, c)
	}
	p.Missing = v.missing(p)
	if p.Azure.Token != "" || p.AWS.Secret != "" { // it needs no key
		p.KeyName = ""
	} else {
		p.NoKey = v.noKey(model)
	}
	return p, true
}

// families are families of models whose names differ from that of a vendor in two letters at most.
// Ollama and other servers name a model FAMILY:SIZE.
var families = []string{"llama", "llava", "magistral", "ministral", "mixtral"}

// misnamed is why a name that [Config.Named] does not know was most likely meant to name a provider; nil
// if it may be the plain name of a model. Such names have colons, too, as in "qwen3:8b": what
// stands before it is taken for a vendor only if it consists of letters, and is near the name of a vendor of
// five letters or more. on is what the error is about: the name itself, or the origin of a setting.
func misnamed(on, model string) error {
	address, name, numbered := strings.Cut(model, "#")
	before, bare, found := strings.Cut(model, ":")
	if isAddress(address) {
		if name != "" {
			return nil
		}
		return invalid(on, "name the model there, too: "+ShowURL(strings.TrimRight(address, "/"))+"#MODEL", "%q is the address of a server, and names no model", ShowURL(address))
	}
	_, notIP := netip.ParseAddr(before)
	if meant := withScheme(address, "/v1"); meant != "" && (numbered || before == "localhost" || notIP == nil) {
		return invalid(on, "did you mean "+meant+"#"+cmp.Or(name, "MODEL")+"?", "a model at the address of a server is named URL#MODEL, and %q does not begin with http:// or https://", ShowURL(model))
	}
	if !found || bare == "" || slices.Contains(families, before) || strings.Trim(strings.ToLower(before), "abcdefghijklmnopqrstuvwxyz") != "" {
		return nil
	}
	var names []string
	for _, v := range vendors() {
		if len(v.name) >= 5 || strings.EqualFold(v.name, before) {
			names = append(names, v.name)
		}
	}
	meant := spelling.Closest(before, names)
	if meant == "" || meant == before {
		return nil
	}
	return invalid(on, "did you mean "+meant+":"+fault.Bounded(bare)+"? If a model has this name, name its server, too: URL#MODEL", "there is no provider %q", fault.Bounded(before))
}

func isAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

// hasUser reports whether an address has a user name or a password in it, which no call would send.
func hasUser(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.User != nil
}

func withUser(from string) error {
	return invalid(from, "give it as a key or token of its own", "the URL contains a user name or password")
}

// addressOf is the base URL of a vendor whose address a variable says, in the vendor's own form.
func (v *vendor) addressOf(value string) string {
	switch v.name {
	case "ollama":
		if !strings.Contains(value, "://") {
			value = "http://" + value
		}
		if u, err := url.Parse(value); err == nil && u.Port() == "" && u.Scheme == "http" {
			u.Host += ":11434"
			value = u.String()
		}
		return strings.TrimSuffix(strings.TrimRight(value, "/"), "/v1")
	case "gemini": // the variable of Google's own programs has no version in it
		if u, err := url.Parse(value); err == nil && strings.Trim(u.Path, "/") == "" {
			return strings.TrimRight(value, "/") + "/v1beta"
		}
	case "azure":
		return strings.TrimRight(strings.TrimSuffix(strings.TrimRight(value, "/"), "/openai/v1"), "/") + "/openai/v1"
	}
	return value
}

// missing says what is wrong with the address of a vendor; nil if nothing is.
func (v *vendor) missing(p Provider) error {
	switch {
	case p.AWS.Lacks != "":
		return fault.New(fault.Invalid, "config.Named", p.Model, "%s", p.AWS.Lacks)
	case p.BaseURL == "":
		return invalid(p.Model, "set "+v.addressVariables[0], "the address of %s is not known", v.name)
	case hasUser(p.BaseURL):
		return withUser(p.From)
	case !isAddress(p.BaseURL):
		return invalid(p.From, "give an http or https URL", "%q is not the address of a server", ShowURL(p.BaseURL))
	}
	return nil
}

// noKey is the error of a call without a key; nil if the vendor may want none.
func (v *vendor) noKey(model string) error {
	if v.local {
		return nil
	}
	also := ""
	if v.name == "bedrock" {
		also = ", or set " + awsCredentials
	}
	return fault.New(fault.Invalid, "config.Named", model, "there is no key for %s; set %s, or run: sidestick keys set %s%s", v.name, v.keyVariables[0], v.name, also)
}
