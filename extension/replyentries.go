package extension

import (
	"bytes"
	"cmp"
	"net/url"
	"slices"
)

// takeReferences reads references: a list, a single one, or a list in a field.
func (p *reply) takeReferences(raw []byte) {
	var refs []Reference
	_, isList := p.takeList(raw, "references", func(entry []byte) (more bool) {
		if !isObject(entry) {
			p.note(ruleReference, "The agent refers to something without saying to what.")
			return true
		}
		ref, ok := p.reference(entry)
		if ok {
			refs = append(refs, ref)
		}
		return ok
	})
	if !isList {
		p.note(ruleReferences, "references are not a list")
	}
	if len(refs) > 0 {
		p.out = append(p.out, Event{Kind: EventReferences, References: refs})
		p.shown = true
	}
}

// referenceParts is the number of parts that a reference counts for in a later request, in
// addition to the fields that it came with: it is sent back with nine of its own.
const referenceParts = 10

// reference decodes one reference and fills in missing fields. ok is false if the references
// of the answer have more parts than a later request could hold.
func (p *reply) reference(entry []byte) (ref Reference, ok bool) {
	p.refs.left -= referenceParts
	if ref = p.refs.reference("", entry); p.refs.left < 0 {
		p.note(ruleLong, "The agent refers to more than anybody reads; the rest is left out.")
		return Reference{}, false
	}
	rest := fieldsOf(entry)
	p.judge.reference(p, rest, ref)
	if ref.Metadata.DisplayName == "" {
		p.note(ruleDisplayName, "a reference has no metadata.display_name")
		ref.Metadata.DisplayName = rest.first("title", "name", "display_name")
	}
	if ref.Metadata.DisplayURL == "" {
		ref.Metadata.DisplayURL = rest.first("url", "display_url")
	}
	if ref.Type == "" || ref.ID == "" && p.judge != nil { // only the type matters to the user
		p.note(ruleReference, "The agent refers to something without a type or an id.")
	}
	if ref.Type == "" || ref.ID == "" {
		ref.Type = cmp.Or(ref.Type, "unknown")
		ref.ID = cmp.Or(ref.ID, ref.Metadata.DisplayURL, ref.Metadata.DisplayName, "unknown")
	}
	return ref, true
}

// first returns the first of the named fields that is a string and not empty.
func (f fields) first(names ...string) string {
	for _, name := range names {
		if isString(f[name]) && text(f[name]) != "" {
			return text(f[name])
		}
	}
	return ""
}

// maxAsked bounds the confirmations of one answer. Agents usually send one.
const maxAsked = 32

// takeConfirmation reads a confirmation, which may be inside a field of the same name.
func (p *reply) takeConfirmation(raw []byte) {
	f := fieldsOf(raw)
	p.judge.confirmation(p, f)
	if inner := f["confirmation"]; !isString(f["title"]) && isObject(inner) && isString(fieldsOf(inner)["title"]) {
		f = fieldsOf(inner)
		if isNull(f["confirmation"]) {
			f["confirmation"] = inner
		}
	}
	c := Confirmation{Title: f.text("title"), Message: f.text("message"), Data: f.value("confirmation")}
	if c.Title == "" || c.Message == "" {
		p.note(ruleQuestion, "The agent asks for a confirmation without saying in full what of.")
		c.Title = cmp.Or(c.Title, "Confirm")
		c.Message = cmp.Or(c.Message, "The agent asks for a yes, and does not say what for.")
	}
	if len(p.asked) == maxAsked {
		p.note(ruleLong, "The agent asks for more confirmations than anybody answers; these are the first %d.", maxAsked)
		return
	}
	p.asked = append(p.asked, Event{Kind: EventConfirmation, Confirmation: &c})
	p.shown = true
}

// takeFaults reads errors: a list, a single one, or a list in a field.
func (p *reply) takeFaults(raw []byte) {
	if n, isList := p.takeList(raw, "errors", func(entry []byte) bool { return p.takeFault(entry, true) }); n == 0 || !isList {
		p.note(ruleErrors, "errors are not a list with something in it")
	}
}

// takeFault reads one error: only in the protocol's form if strict is set, otherwise in any
// known form. It reports whether more errors can be taken.
func (p *reply) takeFault(raw []byte, strict bool) (more bool) {
	if isString(raw) {
		raw = append(append([]byte(`{"message":`), raw...), '}')
	}
	if !isObject(raw) {
		raw = []byte("{}")
	}
	f := fieldsOf(raw)
	e := Fault{Type: f.text("type"), Code: f.id("code"), Message: f.text("message"), Identifier: f.id("identifier")}
	if strict {
		p.judge.fault(p, fieldsOf(raw), e)
	}
	if !slices.Contains([]string{FaultReference, FaultFunction, FaultAgent}, e.Type) {
		e.Code, e.Type = cmp.Or(e.Code, e.Type), FaultAgent
	}
	if e.Message == "" {
		p.note(ruleFault, "The agent reported an error without saying which.")
		e.Message = cmp.Or(f.first("error", "detail", "description", "code"), "an error without a message")
	}
	return p.fault(e)
}

// maxFaults bounds the errors of one answer. Each costs some hundred bytes of memory,
// however short it is.
const maxFaults = 10_000

// fault adds an error to the event of its kind. It reports false if the answer has too many
// errors.
func (p *reply) fault(e Fault) (reported bool) {
	if p.faults++; p.faults > maxFaults {
		p.note(ruleLong, "The agent reports more errors than anybody reads; these are the first %d.", maxFaults)
		return false
	}
	p.shown = true
	if n := len(p.out); n > 0 && p.out[n-1].Kind == EventFaults {
		p.out[n-1].Faults = append(p.out[n-1].Faults, e)
		return true
	}
	p.out = append(p.out, Event{Kind: EventFaults, Faults: []Fault{e}})
	return true
}

// lastFault is the message of the error that was read last.
func (p *reply) lastFault() string {
	if n := len(p.out); n > 0 && len(p.out[n-1].Faults) > 0 {
		return p.out[n-1].Faults[len(p.out[n-1].Faults)-1].Message
	}
	return "it is one of too many"
}

// isLink reports whether s is an address that a browser opens.
func isLink(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}

// isEmptyObject reports whether a JSON object has no fields.
func isEmptyObject(raw []byte) bool { return len(bytes.TrimSpace(raw[1:len(raw)-1])) == 0 }
