package extension

import (
	"bytes"
	"cmp"
	"net/url"
	"slices"
)

// takeReferences takes references, however they are wrapped.
func (p *reply) takeReferences(raw []byte) {
	var refs []Reference
	_, isList := p.takeList(raw, "references", func(entry []byte) {
		if isObject(entry) {
			refs = append(refs, p.reference(entry))
		} else {
			p.note(ruleReference, "The agent refers to something without saying to what.")
		}
	})
	if !isList {
		p.note(ruleReferences, "references are not a list")
	}
	if len(refs) > 0 {
		p.out = append(p.out, Event{Kind: EventReferences, References: refs})
		p.shown = true
	}
}

// reference reads one, and fills in what it needs and lacks.
func (p *reply) reference(entry []byte) Reference {
	d := decoder{left: maxParts}
	ref := d.reference("", entry)
	p.judge.reference(p, ref)
	rest := fieldsOf(entry)
	if ref.Metadata.DisplayName == "" {
		p.note(ruleDisplayName, "a reference has no metadata.display_name")
		ref.Metadata.DisplayName = rest.first("title", "name", "display_name")
	}
	if ref.Metadata.DisplayURL == "" {
		ref.Metadata.DisplayURL = rest.first("url", "display_url")
	}
	if ref.Type == "" || ref.ID == "" {
		p.note(ruleReference, "The agent refers to something without a type or an id.")
		ref.Type = cmp.Or(ref.Type, "unknown")
		ref.ID = cmp.Or(ref.ID, ref.Metadata.DisplayURL, ref.Metadata.DisplayName, "unknown")
	}
	return ref
}

// first returns the first field that is a string with something in it.
func (f fields) first(names ...string) string {
	for _, name := range names {
		if isString(f[name]) && text(f[name]) != "" {
			return text(f[name])
		}
	}
	return ""
}

// maxAsked bounds the confirmations of one answer; one is usual.
const maxAsked = 32

// takeConfirmation takes a question. Its fields may be in a field of its own.
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

// takeFaults takes errors, however they are wrapped.
func (p *reply) takeFaults(raw []byte) {
	if n, isList := p.takeList(raw, "errors", func(entry []byte) { p.takeFault(entry, true) }); n == 0 || !isList {
		p.note(ruleErrors, "errors are not a list with something in it")
	}
}

// takeFault takes one error: the protocol's if strict, else anybody's.
func (p *reply) takeFault(raw []byte, strict bool) {
	if isString(raw) {
		raw = append(append([]byte(`{"message":`), raw...), '}')
	}
	if !isObject(raw) {
		raw = []byte("{}")
	}
	f := fieldsOf(raw)
	e := Fault{Type: f.text("type"), Code: f.id("code"), Message: f.text("message"), Identifier: f.id("identifier")}
	if strict {
		p.judge.fault(p, e)
	}
	if !slices.Contains([]string{FaultReference, FaultFunction, FaultAgent}, e.Type) {
		e.Code, e.Type = cmp.Or(e.Code, e.Type), FaultAgent
	}
	if e.Message == "" {
		p.note(ruleFault, "The agent reported an error without saying which.")
		e.Message = cmp.Or(f.first("error", "detail", "description", "code"), "an error without a message")
	}
	p.fault(e)
}

// fault tells a fault, beside those of the same event.
func (p *reply) fault(e Fault) {
	p.shown = true
	if n := len(p.out); n > 0 && p.out[n-1].Kind == EventFaults {
		p.out[n-1].Faults = append(p.out[n-1].Faults, e)
		return
	}
	p.out = append(p.out, Event{Kind: EventFaults, Faults: []Fault{e}})
}

// isLink reports whether s is something that a browser opens.
func isLink(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}

// isEmptyObject reports whether a JSON object has no fields.
func isEmptyObject(raw []byte) bool { return len(bytes.TrimSpace(raw[1:len(raw)-1])) == 0 }
