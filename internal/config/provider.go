package config

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Kind is the API of a provider.
type Kind string

// The providers that can come from the environment.
const (
	OpenAI  Kind = "openai"  // any server with OpenAI's API
	Copilot Kind = "copilot" // the Copilot model API, with a GitHub token
	Vendor  Kind = "vendor"  // one that the name of the model has; see [Config.Named]
	None    Kind = "none"    // only sessions that bring a provider have a model
)

// Provider is the provider of sessions that bring none of their own.
type Provider struct {
	Kind    Kind
	BaseURL string // "" for None
	Key     Secret // that of the environment; "" if there is none
	Model   string // the model of sessions that name none; "" if none is configured
	From    string // the origin of BaseURL
	// Of a Vendor: the dialect, by its name in package model; the vendor's own name, "" for an
	// address; the name of the model without that of the vendor; and what the environment lacks.
	Dialect, Vendor, WireModel string
	Missing                    error
	// Of Azure and Bedrock; see clouds.go.
	Azure Azure
	AWS   AWS
	// Window is the size of the context that the server is asked for, in tokens; 0 leaves it to
	// the dialect. Ollama only.
	Window int
	// KeyName is the name under which package keys may have the key if Key is ""; "" if it is not
	// looked for. NoKey is the error if there is none either; nil if the server may want none.
	KeyName string
	NoKey   error
	// Anywhere says that nobody has named the address: that of the account, which GitHub's API
	// knows, comes before BaseURL. Copilot only.
	Anywhere bool
}

// AddressFrom is the origin of BaseURL in words for the user.
func (p Provider) AddressFrom() string {
	switch {
	case p.From == Default && p.Vendor != "":
		return "the usual address of " + p.Vendor
	case p.From == Default:
		return "the default for an API key; OPENAI_BASE_URL sets another"
	}
	return cmp.Or(p.From, Unset)
}

// CopilotBase is the address of the Copilot model API for accounts of which no other one is
// known. Source: public clients of the API.
const CopilotBase = "https://api.githubcopilot.com"

// Provider returns the provider that the configured model names, if it names one. Otherwise it
// returns the OpenAI-compatible provider if there is a base URL, else Copilot if there is a
// GitHub token, else None.
func (c Config) Provider() Provider {
	if p, ok := c.Named(c.Model.Value); ok {
		return p
	}
	switch {
	case c.BaseURL.Value != "":
		return Provider{
			Kind: OpenAI, BaseURL: c.BaseURL.Value, Key: c.APIKey.Value, Model: c.Model.Value, From: c.BaseURL.From, KeyName: keyNameOf(c.BaseURL.Value),
		}
	case c.GitHubToken.Value != "":
		return c.Copilot()
	}
	return Provider{Kind: None, Model: c.Model.Value, From: Unset}
}

// Copilot returns the Copilot API with the GitHub token of the configuration, which may be
// empty.
func (c Config) Copilot() Provider {
	p := Provider{Kind: Copilot, BaseURL: c.CopilotAPI.Value, Key: c.GitHubToken.Value, Model: c.Model.Value, From: c.CopilotAPI.From}
	if p.BaseURL == "" {
		p.BaseURL, p.From, p.Anywhere = CopilotBase, c.GitHubToken.From, true
	}
	return p
}

// NoModelHelp explains to the user how to configure a model: `sidestick init`, what is configured and what
// is missing, and five more ways. It is at most 23 lines of at most 80 columns, so that a terminal of usual
// size shows all of it, and ends with a newline.
func (c Config) NoModelHelp() string {
	const ways = `These ways configure a model, too:

  1. In the environment: any OpenAI-compatible server, local or not.
       OPENAI_BASE_URL=http://localhost:11434/v1
       OPENAI_API_KEY=...           (if the server wants one)
       SIDESTICK_MODEL=...          (or the flag --model)
  2. By name, with a key in the environment, or kept by Sidestick:
       SIDESTICK_MODEL=anthropic:claude-opus-5-5  (and ANTHROPIC_API_KEY,
                                   or once: sidestick keys set anthropic)
       SIDESTICK_MODEL=ollama:qwen3               (on this machine)
  3. GitHub Copilot: a token in COPILOT_GITHUB_TOKEN, GH_TOKEN or GITHUB_TOKEN
     (and COPILOT_API_URL, if the API has another address).
  4. An agent of the Copilot Extensions protocol as the model:
       SIDESTICK_MODEL=extension:https://agent.example
  5. In a program on an SDK: give the session a provider
     (its baseUrl, apiKey and a model).
`
	return "No model is configured.\n" + c.Found() + `
To choose one now, run: sidestick init
To see Sidestick work without a model, run: sidestick demo

` + ways
}

// Found says what of a model is configured although there is none, and what is missing, one line each.
func (c Config) Found() string {
	var b strings.Builder
	say := func(is bool, line string) {
		if is {
			b.WriteString("Found: " + line + ".\n")
		}
	}
	none := c.Provider().Kind == None
	say(!none && c.Model.Value == "", "a provider, but no model; set SIDESTICK_MODEL")
	say(none && c.Model.Value != "", "a model, but no provider"+c.noProvider())
	say(none && c.CopilotAPI.Value != "", "COPILOT_API_URL, but no GitHub token")
	return b.String()
}

// noProvider says what is wrong with the name of a model that looks as if it named a provider;
// "" if it does not.
func (c Config) noProvider() string {
	name, _, ok := strings.Cut(c.Model.Value, ":")
	if !ok {
		return ""
	}
	var lines []string
	for some := range slices.Chunk(vendors(), 8) { // as many as fit into 80 columns
		var names []string
		for _, v := range some {
			names = append(names, v.name)
		}
		lines = append(lines, strings.Join(names, ", "))
	}
	return "; " + strconv.Quote(fault.Bounded(name)) + " is none of these providers:\n" + strings.Join(lines, ",\n")
}
