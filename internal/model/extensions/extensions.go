// Package extensions is the dialect by which a Copilot Extensions agent is called as if it
// were a model. One call is one POST of the conversation, by the public package
// extension, which knows the protocol; this package only translates.
//
// An agent gets no tools, no system message and no limits, because it has its own. The
// parts of its answer other than text are in [model.ExtensionParts]. A confirmation that it asks for is
// a call of [ConfirmationTool] instead, whose result, [Accepted] or [Dismissed], is the
// last message of the next call.
package extensions

import (
	"context"
	"net/netip"
	"net/url"
	"strings"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
)

// Name is the dialect's name in [model.Endpoint].
const Name = "copilot-extensions"

// New returns the dialect. signer gives what calls are signed with, and is asked at each
// call; nil: they are not signed.
func New(signer func(context.Context) (*extension.Signer, error)) model.Dialect {
	return &dialect{signer: signer}
}

type dialect struct {
	signer func(context.Context) (*extension.Signer, error)
}

// Name returns [Name].
func (*dialect) Name() string { return Name }

// Models returns the agent as the one model of its endpoint. It is not asked.
func (*dialect) Models(_ context.Context, _ *model.Client, ep *model.Endpoint) ([]model.Info, error) {
	return []model.Info{Info(ep.BaseURL)}, nil
}

// prefix begins the name of a model that is an agent.
const prefix = "extension:"

// ModelName is the name of the model that is the agent at an address.
func ModelName(address string) string { return prefix + address }

// WithSlug returns the address of an agent that requests call by a slug: the address with the
// slug as its fragment, which is never sent with an HTTP request. "" changes nothing.
func WithSlug(address, slug string) string {
	u, err := url.Parse(address)
	if err != nil || slug == "" {
		return address
	}
	u.Fragment, u.RawFragment = slug, ""
	return u.String()
}

// slugOf returns the slug of an address, "" for none.
func slugOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Fragment
}

// Address is the reverse of [ModelName]; ok is false for the name of a model that is not
// an agent.
func Address(modelName string) (address string, ok bool) { return strings.CutPrefix(modelName, prefix) }

// Info describes an agent as a list of models does. Its limits are not known.
func Info(address string) model.Info {
	name := address
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		name = strings.TrimSuffix(u.Host+u.Path, "/")
	}
	return model.Info{ID: ModelName(address), Name: "the agent at " + name, Vendor: "copilot-extension"}
}

// CheckAddress says whether an agent's address can be called: https, or http on this
// machine, with a host, and without a password. With publicOnly it also refuses
// addresses that are visibly private; where host names lead is found out with each call.
// The error is [fault.Invalid] and repeats no password.
func CheckAddress(address string, publicOnly bool) error {
	u, err := url.Parse(address)
	if err != nil {
		return refused("the agent's address is not a URL")
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "":
		return refused("the agent's address is not an https URL with a host")
	case u.User != nil:
		return refused("the agent's address contains a user name or password")
	case u.Scheme == "http" && !onThisMachine(u.Hostname()):
		return refused("an agent on another machine is called by https, not http")
	case publicOnly && isPrivate(u.Hostname()):
		return refused("%s is a private address, and a client on another machine asks for it", u.Hostname())
	}
	return nil
}

func refused(format string, args ...any) error {
	e := fault.New(fault.Invalid, "model.CheckAgent", "", format, args...)
	e.Hint = "for example https://agent.example/path"
	return e
}

// onThisMachine reports whether a host may be called by plain http.
func onThisMachine(host string) bool {
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback() || strings.EqualFold(host, "localhost")
}

// isPrivate reports whether a host is visibly not on the public internet.
func isPrivate(host string) bool {
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return onThisMachine(host) || strings.HasSuffix(strings.ToLower(host), ".localhost")
	}
	addr = addr.Unmap()
	return addr.IsPrivate() || !addr.IsGlobalUnicast()
}
