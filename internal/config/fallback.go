package config

import "strings"

// FallbackModels is Fallback as a list; nil if it is empty.
func (c Config) FallbackModels() (list []string) {
	if c.Fallback.Value == "" {
		return nil
	}
	for name := range strings.SplitSeq(c.Fallback.Value, ",") {
		list = append(list, strings.TrimSpace(name))
	}
	return list
}

// maxFallbacks bounds the list, as that of a session is bounded: each model may take a minute and a
// half until it has failed.
const maxFallbacks = 16

// checkFallback refuses models that could not take over.
func (c Config) checkFallback() error {
	list := c.FallbackModels()
	if len(list) > maxFallbacks {
		return invalid(c.Fallback.From, "leave some out", "there are %d models in the list; there may be %d", len(list), maxFallbacks)
	}
	for _, name := range list {
		switch {
		case name == "":
			return invalid(c.Fallback.From, "give models, such as anthropic:claude-opus-5-5,gpt-5.4", "a model in the list has no name")
		case strings.HasPrefix(name, "extension:"):
			return invalid(c.Fallback.From, "leave it out", "%s is an agent of another system, which cannot take over a conversation", ShowURL(name))
		}
		if err := misnamed(c.Fallback.From, name); err != nil {
			return err
		}
	}
	return nil
}

// showFallback is the list as it is printed: without credentials in addresses.
func (c Config) showFallback() string {
	list := c.FallbackModels()
	for i, name := range list {
		list[i] = ShowURL(name)
	}
	return strings.Join(list, ", ")
}
