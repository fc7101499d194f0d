package model

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// An agent of Copilot Extensions takes the place of a model: one call is one POST of
// the conversation, by package extension. What it sends beside text is in [Beside],
// but for what it wants a person to confirm: that is a call of [ConfirmationTool],
// whose result, [Accepted] or [Dismissed], is the last message of the next call.
// No tools, no system message and no limits are sent: an agent has its own.

// agentPrefix begins the name of a model that is an agent.
const agentPrefix = "extension:"

// AgentName is the name of the model that is the agent at an address.
func AgentName(address string) string { return agentPrefix + address }

// AgentAddress is the reverse of [AgentName]; ok is false for the name of a model that
// is none.
func AgentAddress(name string) (address string, ok bool) { return strings.CutPrefix(name, agentPrefix) }

// AgentInfo describes an agent as a list of models does. What it reads and how much
// is not known.
func AgentInfo(address string) Info {
	name := address
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		name = strings.TrimSuffix(u.Host+u.Path, "/")
	}
	return Info{ID: AgentName(address), Name: "the agent at " + name, Vendor: "copilot-extension"}
}

// CheckAgent says whether an agent's address can be called: https, or http on this
// machine, with a host, and without a password. With publicOnly it also refuses
// addresses that are visibly private; where names lead is found out with each call.
// The error is [fault.Invalid] and repeats no password.
func CheckAgent(address string, publicOnly bool) error {
	u, err := url.Parse(address)
	if err != nil {
		return badAgent("the agent's address is not a URL")
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "":
		return badAgent("the agent's address is not an https URL with a host")
	case u.User != nil:
		return badAgent("the agent's address contains a user name or password")
	case u.Scheme == "http" && !onThisMachine(u.Hostname()):
		return badAgent("an agent on another machine is called by https, not http")
	case publicOnly && isPrivate(u.Hostname()):
		return badAgent("%s is a private address, and a client on another machine asks for it", u.Hostname())
	}
	return nil
}

func badAgent(format string, args ...any) error {
	e := fault.New(fault.Invalid, "model.CheckAgent", "", format, args...)
	e.Hint = "for example https://agent.example/path"
	return e
}

// onThisMachine tells the hosts that plain http is good enough for.
func onThisMachine(host string) bool {
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback() || strings.EqualFold(host, "localhost")
}

// isPrivate tells hosts that can be seen not to be on the public internet.
func isPrivate(host string) bool {
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return onThisMachine(host) || strings.HasSuffix(strings.ToLower(host), ".localhost")
	}
	addr = addr.Unmap()
	return addr.IsPrivate() || !addr.IsGlobalUnicast()
}

// errNothingSaid is a conversation that ends with nothing that an agent could answer.
var errNothingSaid = errors.New("there is nothing to answer: the conversation ends with neither a message nor a decision")
