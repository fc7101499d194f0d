package session

import (
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// section is a named part of the system message that a client can change.
type section struct{ id, text string }

// ownSections is the system message of this runtime. Clients address sections by
// the ids of the protocol; those that are not here yet are empty.
func (s *Session) ownSections() []section {
	return []section{
		{"preamble", "You are an assistant in an application built on Sidestick, an open agent runtime that works with the GitHub Copilot SDKs."},
		{"tone", "Be brief and concrete. Say what you did and what you found; do not repeat the question."},
		{"guidelines", "Use the tools you are offered when they help, several at once where they do not depend on each other. " +
			"When a tool fails, read why and decide: try differently, or say what is missing. Never invent a tool's result."},
		{"environment_context", "<environment_context>\nCurrent working directory: " + s.cwd + "\nOperating system: " + runtime.GOOS + "\n</environment_context>"},
	}
}

// identity is the protocol's name for a group of sections.
var identity = []string{"preamble", "tone", "tool_efficiency"}

// systemMessage is what the model reads first: our own, and what the client made
// of it.
func (s *Session) systemMessage() string {
	set := s.prompting
	if set == nil {
		set = &wire.SystemMessageSet{}
	}
	switch set.Mode {
	case "replace":
		return set.Content
	case "customize":
		return join(append(texts(customize(s.ownSections(), set.Sections)), set.Content))
	}
	return join(append(texts(s.ownSections()), set.Content))
}

// customize applies a client's overrides. An override of the identity group
// counts for its members, unless a member has its own. Content for a section
// that is not there is added at the end, so that no instruction is lost. The
// action "transform" needs a callback that this version does not make: the text
// stays as it is.
func customize(own []section, overrides map[string]wire.SectionOverride) []section {
	known := map[string]bool{}
	var out []section
	grouped := false
	for _, sec := range own {
		known[sec.id] = true
		o, ok := overrides[sec.id]
		if group, all := overrides["identity"]; !ok && all && slices.Contains(identity, sec.id) {
			o, ok = group, true
			if grouped && o.Action == "replace" {
				o.Content = "" // said once for the group
			}
			grouped = true
		}
		if ok {
			sec.text = override(sec.text, o)
		}
		out = append(out, sec)
	}
	for _, id := range slices.Sorted(maps.Keys(overrides)) {
		if !known[id] && !(id == "identity" && grouped) {
			out = append(out, section{id, override("", overrides[id])})
		}
	}
	return out
}

func override(text string, o wire.SectionOverride) string {
	switch o.Action {
	case "replace":
		return o.Content
	case "remove":
		return ""
	case "append":
		return join([]string{text, o.Content})
	case "prepend":
		return join([]string{o.Content, text})
	}
	return text
}

func texts(sections []section) []string {
	out := make([]string, len(sections))
	for i, s := range sections {
		out[i] = s.text
	}
	return out
}

// join puts a blank line between what is not empty.
func join(parts []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(parts), func(p string) bool { return p == "" }), "\n\n")
}
