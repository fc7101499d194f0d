package main

import (
	"path"
	"regexp"
	"strings"
)

var (
	pythonType    = regexp.MustCompile(`(?m)^(?:class|def) (?:_load_)?(\w+)`)
	pythonField   = regexp.MustCompile(`(?m)^ +\w+ = .*\bobj(?:\.get\("|\[")(\w+)"[\])].*$`)
	pythonVariant = regexp.MustCompile(`(?m)^ +case .*: return (\w+)\.from_dict`)
	pythonEvent   = regexp.MustCompile(`(?m)^    (\w+) = "([\w.]+)"$`)
	pythonData    = regexp.MustCompile(`case SessionEventType\.(\w+): data = (\w+)\.from_dict`)
	pythonCall    = regexp.MustCompile(`\.request\(\s*"([\w.]+)"`)
	pythonAnswer  = regexp.MustCompile(`set_request_handler\(\s*"([\w.]+)"`)
	pythonOpening = regexp.MustCompile(`(?s)\n    async def (?:create|resume)_session\(.*?(?:\n    (?:async )?def |$)`)
	pythonPayload = regexp.MustCompile(`payload\["(\w+)"\] =`)
)

// readWheel returns the names in the source files of the Python SDK, by their paths. It does not read the members of the
// objects that session.create and session.resume send, because these have other names in Python.
func readWheel(files map[string]string) ([]string, error) {
	s := newSDK()
	for name, text := range files {
		for _, m := range pythonCall.FindAllStringSubmatch(text, -1) {
			s.add("method", m[1])
		}
		for _, m := range pythonAnswer.FindAllStringSubmatch(text, -1) {
			s.add("callback", m[1])
		}
		if strings.Contains(name, "/generated/") {
			s.readPython(text)
		}
		if path.Base(name) == "client.py" {
			for _, opening := range pythonOpening.FindAllString(text, -1) {
				for _, m := range pythonPayload.FindAllStringSubmatch(opening, -1) {
					s.add("setting", m[1])
				}
			}
		}
	}
	return s.all(nil, []string{"SessionUpdateOptionsParams"})
}

// readPython reads the classes of a generated file. A class has a method that reads its fields out of an object, and
// a function beside the classes chooses among them by a field.
func (s *sdk) readPython(text string) {
	constants := map[string]string{}
	starts := pythonType.FindAllStringSubmatchIndex(text, -1)
	for i, at := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		name, body, o := text[at[2]:at[3]], text[at[0]:end], &object{}
		for _, m := range pythonField.FindAllStringSubmatch(body, -1) {
			o.fields = append(o.fields, field{key: m[1], holds: m[0]})
		}
		for _, m := range pythonVariant.FindAllStringSubmatch(body, -1) {
			o.fields = append(o.fields, field{holds: m[1]})
		}
		if name == "SessionEventType" {
			for _, m := range pythonEvent.FindAllStringSubmatch(body, -1) {
				constants[m[1]] = m[2]
			}
		}
		s.define(name, o)
	}
	for _, m := range pythonData.FindAllStringSubmatch(text, -1) {
		s.events[constants[m[1]]] = m[2]
	}
}
