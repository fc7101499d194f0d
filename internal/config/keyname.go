package config

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// KeyName returns the name under which package keys keeps the key of a provider: the name of a
// vendor, or the address of a server without user, query and trailing slashes. The usual address
// of a vendor is the name of that vendor. Anything else is [fault.Invalid]; the error does not
// repeat the text, which may be a key in the wrong place.
func KeyName(text string) (string, error) {
	if isVendor(text) {
		return text, nil
	}
	if u, err := url.Parse(text); !isAddress(text) || err != nil || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", &fault.Error{
			Op: "config.KeyName", Kind: fault.Invalid, Err: errors.New("this is neither the name of a provider nor the base URL of a server"),
			Hint: "the providers are " + strings.Join(VendorNames(), ", ") + ", and every http or https URL without user, query and #",
		}
	}
	return keyNameOf(text), nil
}

// VendorNames are the names of the vendors, in the order in which they are listed.
func VendorNames() (names []string) {
	for _, v := range vendors() {
		names = append(names, v.name)
	}
	return names
}

func isVendor(name string) bool {
	return slices.ContainsFunc(vendors(), func(v vendor) bool { return v.name == name })
}

// keyNameOf is the name of the key for an address; "" if it is not an address.
func keyNameOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	name := strings.ToLower(u.Scheme+"://"+u.Host) + strings.TrimRight(u.EscapedPath(), "/")
	for _, v := range vendors() {
		if v.baseURL == name {
			return v.name
		}
	}
	return name
}

// KeySource is a variable of the environment that has the key of a provider.
type KeySource struct {
	Name     string // as [KeyName] returns it; "github" for the token of the Copilot API
	Variable string
	Key      Secret
}

// KeySources are the keys of providers that come from the environment, in the order of the
// vendors.
func (c Config) KeySources() (all []KeySource) {
	add := func(name string, s Setting[Secret]) {
		variable, ok := strings.CutPrefix(s.From, "env ")
		source := KeySource{name, variable, s.Value}
		if ok && s.Value != "" && !slices.Contains(all, source) {
			all = append(all, source)
		}
	}
	for _, name := range VendorNames() {
		add(name, c.Vendors[name].Key)
	}
	add(keyNameOf(c.BaseURL.Value), c.APIKey)
	add("github", c.GitHubToken)
	return all
}
