package model

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// maxName bounds the name of a tool in a request, in bytes. OpenAI takes 64, Anthropic and Gemini
// take 128.
const maxName = 64

// WireName returns the name by which models call a tool, in every dialect: the name itself if
// all providers accept it, and otherwise one made of it. It depends on nothing else, so it is
// the same in each turn and after a resume; two names become different ones.
//
// Source: OpenAI accepts ^[a-zA-Z0-9_-]{1,64}$, Gemini wants a letter or underscore first.
func WireName(name string) string {
	if acceptedName(name) {
		return name
	}
	plain := strings.Map(func(r rune) rune {
		if nameRune(r) {
			return r
		}
		return '_'
	}, name)
	if plain == "" || !nameStart(plain[0]) {
		plain = "_" + plain
	}
	sum := sha256.Sum256([]byte(name))
	digest := "_" + hex.EncodeToString(sum[:5])
	return plain[:min(len(plain), maxName-len(digest))] + digest
}

func acceptedName(name string) bool {
	if name == "" || len(name) > maxName || !nameStart(name[0]) {
		return false
	}
	for i := 1; i < len(name); i++ {
		if !nameRune(rune(name[i])) {
			return false
		}
	}
	return true
}

func nameStart(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func nameRune(r rune) bool {
	return r < 0x80 && nameStart(byte(r)) || r >= '0' && r <= '9' || r == '-'
}

// renamed are the tools of a request that models call by another name, which it is found under.
type renamed map[string]string

// renamedIn returns those of a request; nil if there are none, which is usual.
func renamedIn(tools []Tool) (all renamed) {
	for i := range tools {
		if name := tools[i].Name; !acceptedName(name) {
			if all == nil {
				all = renamed{}
			}
			all[WireName(name)] = name
		}
	}
	return all
}

// own returns the name of the tool that a model calls.
func (n renamed) own(name string) string {
	if own, ok := n[name]; ok {
		return own
	}
	return name
}

// deltas returns what passes pieces on with the names of tools.
func (n renamed) deltas(to func(Delta)) func(Delta) {
	if n == nil || to == nil {
		return to
	}
	return func(d Delta) {
		d.Name = n.own(d.Name)
		to(d)
	}
}

// calledByWireName returns a conversation in which calls have the names that providers accept:
// the same one if they all do. No message is changed in place.
func calledByWireName(messages []Message) []Message {
	var out []Message
	for i := range messages {
		calls := messages[i].ToolCalls
		if !slices.ContainsFunc(calls, func(c ToolCall) bool { return !acceptedName(c.Name) }) {
			continue
		}
		if out == nil {
			out = slices.Clone(messages)
		}
		calls = slices.Clone(calls)
		for k := range calls {
			calls[k].Name = WireName(calls[k].Name)
		}
		out[i].ToolCalls = calls
	}
	if out == nil {
		return messages
	}
	return out
}
