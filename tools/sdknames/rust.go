package main

import (
	"path"
	"regexp"
	"strings"
)

var (
	rustType    = regexp.MustCompile(`^pub(?:\(\w+\))? (?:struct|enum) (\w+)(?:<.*>)? \{$`)
	rustField   = regexp.MustCompile(`^(?:pub(?:\(\w+\))? )?(?:r#)?(\w+): (.*),$`)
	rustVariant = regexp.MustCompile(`^\w+\((.*)\),$`)
	rustRename  = regexp.MustCompile(`\brename = "([^"]+)"`)
	rustTag     = regexp.MustCompile(`\btag = "(\w+)"`)
	rustMethod  = regexp.MustCompile(`const (\w+): &str =\s*"([\w.]+)"`)
	rustUse     = regexp.MustCompile(`rpc_methods::([A-Z_]+)`)
	rustCall    = regexp.MustCompile(`\.call\w*\(\s*"([\w.]+)"`)
	rustAnswer  = regexp.MustCompile(`(?m)(?:METHOD\w*: &str =|\.method ==|^)\s*"(\w+\.[\w.]+)"(?:;| \{| =>)`)
	rustEvent   = regexp.MustCompile(`#\[serde\(rename = "([\w.]+)"\)\]\s*\w+\((\w+)\),`)
)

// readCrate returns the names in the source files of the Rust SDK, by their paths.
func readCrate(files map[string]string) ([]string, error) {
	s, constants, called := newSDK(), map[string]string{}, map[string]bool{}
	for name, text := range files {
		generated := strings.Contains(name, "/generated/")
		if strings.Contains(name, "tests") || !strings.Contains(name, "src/") {
			continue
		}
		s.readRust(text, !generated)
		for _, m := range rustMethod.FindAllStringSubmatch(text, -1) {
			if strings.Contains(text, "mod rpc_methods {") {
				constants[m[1]] = m[2]
			}
		}
		switch path.Base(name) {
		case "rpc.rs": // the generated methods
			for _, m := range rustUse.FindAllStringSubmatch(text, -1) {
				called[m[1]] = generated || called[m[1]]
			}
		case "session_events.rs":
			_, data, _ := strings.Cut(text, "enum SessionEventData {")
			data, _, _ = strings.Cut(data, "\n}")
			for _, m := range rustEvent.FindAllStringSubmatch(data, -1) {
				s.events[m[1]] = m[2]
			}
		}
		if !generated {
			for _, m := range rustCall.FindAllStringSubmatch(text, -1) {
				s.add("method", m[1])
			}
			for _, m := range rustAnswer.FindAllStringSubmatch(text, -1) {
				s.add("callback", m[1])
			}
		}
	}
	for constant, method := range constants {
		s.add(map[bool]string{true: "method", false: "callback"}[called[constant]], method)
	}
	return s.all([]string{"SessionCreateWire", "SessionResumeWire"}, []string{"SessionUpdateOptionsParams"})
}

// readRust reads the structs and enums of a file as rustfmt writes it: a type begins on a line of its own and ends
// with a brace without indentation, and each field ends with a comma at the end of a line.
func (s *sdk) readRust(text string, own bool) {
	var in *object
	var camel bool
	attributes, line := "", "" // of the next type or field; what there is of the field
	for part := range strings.Lines(text) {
		trimmed := strings.TrimSpace(part)
		switch {
		case trimmed == "" || strings.HasPrefix(trimmed, "//"):
			continue
		case strings.HasPrefix(part, "}"):
			in, line, attributes = nil, "", ""
			continue
		}
		line = strings.TrimSpace(line + " " + trimmed)
		switch m := rustType.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "#["):
			if strings.HasSuffix(line, "]") {
				attributes, line = attributes+line, ""
			}
		case in == nil:
			if m != nil {
				in, camel = &object{own: own}, strings.Contains(attributes, `"camelCase"`)
				if tag := rustTag.FindStringSubmatch(attributes); tag != nil {
					in.fields = append(in.fields, field{key: tag[1]})
				}
				s.define(m[1], in)
			}
			attributes, line = "", ""
		case strings.HasSuffix(line, ",") && strings.Count(line, "<") == strings.Count(line, ">"):
			in.addRust(line, attributes, camel)
			attributes, line = "", ""
		}
	}
}

// addRust adds a field of a struct, or what a variant of an enum holds.
func (o *object) addRust(line, attributes string, camel bool) {
	f := field{}
	if m := rustField.FindStringSubmatch(line); m != nil {
		f = field{key: m[1], holds: m[2]}
	} else if m := rustVariant.FindStringSubmatch(line); m != nil {
		f.holds = m[1]
	}
	switch renamed := rustRename.FindStringSubmatch(attributes); {
	case f.holds == "", strings.Contains(attributes, "serde(skip)"):
		return
	case strings.Contains(attributes, "flatten"):
		f.key = ""
	case f.key != "" && renamed != nil:
		f.key = renamed[1]
	case camel:
		f.key = camelCase(f.key)
	}
	o.fields = append(o.fields, f)
}

// camelCase is the key that serde makes of the name of a field.
func camelCase(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words {
		if i > 0 && w != "" {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}
