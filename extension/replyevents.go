package extension

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// The names of events. An event with any other name is a chunk or unknown.
const (
	nameReferences   = "copilot_references"
	nameConfirmation = "copilot_confirmation"
	nameErrors       = "copilot_errors"
)

func isNamed(name string) bool {
	return name == nameReferences || name == nameConfirmation || name == nameErrors
}

func fieldsOf(object []byte) fields {
	f := fields{}
	each(object, func(key, value []byte) bool {
		f[text(key)] = value
		return true
	})
	return f
}

// emitText yields text whose characters may be split over several calls.
func (p *reply) emitText(s string) {
	p.yieldText(p.half.join(s))
	if p.half.held != "" {
		p.note(ruleCharacter, "the text ends within a character")
	}
}

func (p *reply) yieldText(s string) {
	if s != "" {
		p.out = append(p.out, Event{Kind: EventText, Text: s})
		p.shown = true
		p.judge.text(p)
	}
}

// take reads the JSON value of an event. Its shape decides its meaning before the event's
// name does, because the name may be left over from an earlier event that was not ended.
func (p *reply) take(name string, data []byte) {
	isObject := data[0] == '{'
	var f fields
	if isObject {
		f = fieldsOf(data)
	}
	switch hasChoices := !isNull(f["choices"]); {
	case hasChoices || p.hasInline(f):
		if name != "" {
			p.note(ruleNamed, "a chunk is in an event named %s", name)
		}
		if hasChoices {
			p.takeChunk(f)
		}
		p.takeInline(f)
		return
	case isNamed(name):
		p.judge.named(p)
		p.takeNamed(name, data)
		return
	case name == "message":
		p.note(ruleMessage, "the event has the name message, which the default kind does without")
	case name == "error":
		p.note(ruleMessage, "the event has the name error")
		p.takeNamed(nameErrors, data)
		return
	case name != "":
		p.note(ruleName, "The agent sent an event of an unknown kind, %s.", shown([]byte(name)))
	}
	if isObject {
		p.takeShape(name, data, f)
		return
	}
	p.takeOther(name, data)
}

func (p *reply) hasInline(f fields) bool {
	return !isNull(f[nameReferences]) || !isNull(f[nameConfirmation]) || !isNull(f[nameErrors])
}

// takeInline reads the format that the platform used towards editors.
func (p *reply) takeInline(f fields) {
	for _, name := range []string{nameReferences, nameErrors, nameConfirmation} {
		if raw := f[name]; !isNull(raw) {
			p.note(ruleInline, "%s is a field, not an event", name)
			p.takeNamed(name, raw)
		}
	}
}

// takeShape reads an object that only its shape identifies.
func (p *reply) takeShape(name string, data []byte, f fields) {
	kind := f["type"]
	switch {
	case isString(kind) && isNamed(text(kind)):
		if isObject(f["data"]) || len(f["data"]) > 0 && f["data"][0] == '[' {
			data = f["data"]
		}
		p.note(ruleInline, "%s is a type, not an event", text(kind))
		p.takeNamed(text(kind), data)
	case !isNull(f["confirmation"]) && (isString(f["title"]) || isObject(f["confirmation"]) && isString(fieldsOf(f["confirmation"])["title"])):
		p.note(ruleInline, "a confirmation is in an event without the name")
		p.takeNamed(nameConfirmation, data)
	case len(f["references"]) > 0 && f["references"][0] == '[':
		p.note(ruleInline, "references are in an event without the name")
		p.takeNamed(nameReferences, f["references"])
	case len(f["errors"]) > 0 && f["errors"][0] == '[':
		p.note(ruleInline, "errors are in an event without the name")
		p.takeNamed(nameErrors, f["errors"])
	case !isNull(f["error"]):
		p.takeFault(f["error"], false)
		p.note(ruleError, "the agent reports an error, and not with an event: %s", brief(p.lastFault()))
	case p.takeShapedText(f):
	case name == "" || name == "message":
		names := strings.Join(slices.Sorted(maps.Keys(f)), ", ")
		p.note(ruleObject, "The agent sent something that cannot be shown: a JSON object with %s.", cmp.Or(brief(names), "nothing in it"))
	}
}

func (p *reply) takeShapedText(f fields) bool {
	for _, name := range []string{"content", "body", "message", "text"} {
		raw := f[name]
		if isObject(raw) {
			raw = fieldsOf(raw)["content"]
		}
		if isString(raw) {
			p.note(ruleChunk, "the text is in %s, not in choices", name)
			p.emitText(loose(raw))
			return true
		}
	}
	return false
}

// takeOther reads a list or a string that no event name identifies.
func (p *reply) takeOther(name string, data []byte) {
	var f fields // first object of a list
	switch data[0] {
	case '[':
		each(data, func(_, value []byte) bool {
			if isObject(value) {
				f = fieldsOf(value)
			}
			return f == nil
		})
	case '"':
		p.takeText([]byte(loose(data)))
		return
	}
	switch {
	case name != "" && name != "message":
	case !isNull(f["choices"]):
		p.note(ruleChunk, "several chunks are in a list")
		each(data, func(_, value []byte) bool {
			if value[0] == '[' { // no chunks in nested lists: searching them takes quadratic time
				p.note(ruleObject, "The agent sent something that cannot be shown: %s.", shown(value))
			} else {
				p.take("", value)
			}
			return true
		})
	case isString(f["message"]) && (f["code"] != nil || f["identifier"] != nil):
		p.note(ruleInline, "errors are in an event without the name")
		p.takeNamed(nameErrors, data)
	case f["type"] != nil || f["id"] != nil || f["url"] != nil || f["metadata"] != nil:
		p.note(ruleInline, "references are in an event without the name")
		p.takeNamed(nameReferences, data)
	default:
		p.note(ruleObject, "The agent sent something that cannot be shown: %s.", shown(data))
	}
}

// takeText reads data that is not JSON.
func (p *reply) takeText(data []byte) {
	said := string(bytes.ToValidUTF8(data, []byte("\uFFFD")))
	switch {
	case strings.TrimSpace(said) == "":
	case p.name == "" || p.name == "message":
		p.note(ruleJSON, "The agent sent text in a form that is not of the protocol; it is shown as it came.")
		p.emitText(string(data))
	case p.name == nameErrors || p.name == "error":
		p.note(ruleJSON, "The agent sent an error that is not in the form of the protocol.")
		p.fault(Fault{Type: FaultAgent, Message: said})
	case isNamed(p.name):
		p.note(ruleJSON, "The agent sent %s that cannot be read.", strings.ReplaceAll(strings.TrimPrefix(p.name, "copilot_"), "_", " "))
	default:
		p.note(ruleName, "The agent sent an event of an unknown kind, %s.", shown([]byte(p.name)))
	}
}

// takeNamed reads the value of a named event, in the protocol's form or another known one.
func (p *reply) takeNamed(name string, raw []byte) {
	switch {
	case name == nameReferences:
		p.takeReferences(raw)
	case name == nameErrors:
		p.takeFaults(raw)
	case isObject(raw):
		p.takeConfirmation(raw)
	case raw[0] == '[':
		p.note(ruleQuestion, "The agent asks for several confirmations at once.")
		p.takeList(raw, "", func(one []byte) bool {
			if isObject(one) {
				p.takeConfirmation(one)
			}
			return true
		})
	default:
		p.note(ruleJSON, "The agent sent a confirmation that cannot be read.")
	}
}

// takeNested is takeNamed for JSON inside a string.
func (p *reply) takeNested(name, s string) {
	if data := []byte(s); json.Valid(data) {
		p.takeNamed(name, bytes.TrimSpace(data))
		return
	}
	p.note(ruleJSON, "The agent sent %s that cannot be read.", strings.TrimPrefix(name, "copilot_"))
}

// takeList calls take for the entries of raw, of a list in its field name, or for raw itself
// if there is no list, until take returns false. n is the number of entries; isList reports
// whether raw was itself a list.
func (p *reply) takeList(raw []byte, name string, take func(entry []byte) (more bool)) (n int, isList bool) {
	isList = raw[0] == '['
	if isObject(raw) {
		if inner := fieldsOf(raw)[name]; len(inner) > 0 && inner[0] == '[' {
			raw = inner
		}
	}
	if raw[0] != '[' {
		take(raw)
		return 1, false
	}
	each(raw, func(_, entry []byte) bool {
		n++
		return take(entry)
	})
	return n, isList
}

// brief returns s, shortened if it is long.
func brief(s string) string {
	if len(s) > 200 {
		return strings.ToValidUTF8(s[:200], "") + "…"
	}
	return s
}
