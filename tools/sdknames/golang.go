package main

import (
	"regexp"
	"strings"
)

var (
	goStruct    = regexp.MustCompile(`(?ms)^type (\w+) struct \{\n(.*?)^\}`)
	goField     = regexp.MustCompile("(?m)^\t\\w+ +(\\S+)(?: +`json:\"(\\w+).*)?$") // without a key it is one of the types that the object can have
	goInterface = regexp.MustCompile(`(?ms)^type (\w+) interface \{\n\t([a-z]\w*)\(\)\n(.*?)^\}`)
	goGetter    = regexp.MustCompile(`(?m)^\t([A-Z]\w*)\(\)`)
	goVariant   = regexp.MustCompile(`(?m)^func \(\*?(\w+)\) ([a-z]\w*)\(\) +\{\}`)
	goEvent     = regexp.MustCompile(`(?m)^\t(\w+) +SessionEventType = "([\w.]+)"`)
	goData      = regexp.MustCompile(`(?m)^func \(\*(\w+)\) Type\(\) SessionEventType +\{\s*return (\w+)\s*\}`)
)

// readGo returns the events and their fields in the source files of the Go SDK, by their paths.
func readGo(files map[string]string) ([]string, error) {
	s, variants, constants := newSDK(), map[string]string{}, map[string]string{}
	text := ""
	for name, more := range files {
		if strings.Contains(name, "/rpc/") && !strings.HasSuffix(name, "_test.go") {
			text += more
		}
	}
	for _, m := range goStruct.FindAllStringSubmatch(text, -1) {
		o := &object{}
		for _, f := range goField.FindAllStringSubmatch(m[2], -1) {
			o.fields = append(o.fields, field{key: f[2], holds: f[1]})
		}
		s.define(m[1], o)
	}
	for _, m := range goVariant.FindAllStringSubmatch(text, -1) {
		variants[m[2]] += " " + m[1]
	}
	for _, m := range goInterface.FindAllStringSubmatch(text, -1) {
		o := &object{fields: []field{{holds: variants[m[2]]}}}
		for _, f := range goGetter.FindAllStringSubmatch(m[3], -1) {
			o.fields = append(o.fields, field{key: strings.ToLower(f[1][:1]) + f[1][1:]})
		}
		s.define(m[1], o)
	}
	for _, m := range goEvent.FindAllStringSubmatch(text, -1) {
		constants[m[1]] = m[2]
	}
	for _, m := range goData.FindAllStringSubmatch(text, -1) {
		s.events[constants[m[2]]] = m[1]
	}
	return s.all(nil, nil)
}
