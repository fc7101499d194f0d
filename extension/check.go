package extension

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Finding reports one place where an answer breaks a rule.
type Finding struct {
	// Rule is the number of the broken rule. Name, Severity and Fix are copied from it.
	Rule     int
	Name     string
	Severity Severity
	Fix      string
	// Line is the number of the line in the body, from 1. It is 0 if the finding concerns
	// the status, the headers, or something that is missing from the answer.
	Line int
	// Offset is the position of the line's first byte in the body, from 0.
	Offset int64
	// Text describes the problem in a few words.
	Text string
}

// String returns the finding as one line: position, severity, description, rule and advice.
func (f Finding) String() string {
	where := "answer"
	if f.Line > 0 {
		where = fmt.Sprintf("line %d (byte %d)", f.Line, f.Offset)
	}
	return fmt.Sprintf("%s: %s: %s [%d %s]. %s", where, f.Severity, f.Text, f.Rule, f.Name, f.Fix)
}

// maxRepeats is how often one rule is reported for an answer.
const maxRepeats = 5

// Check checks an answer strictly, for the author of an agent: it reports what any known
// client rejects, and what [ReadReply] tolerates although it breaks the protocol. A correct
// answer has no findings. Check reads the whole body, within ReadReply's limits, and
// continues after a finding.
//
// A status of 0 and a nil header are not checked; use them for an answer from a file.
// Findings about the headers come first, then those about the body in its order, then those
// about missing parts. Each rule is reported five times at most. If the body is not a stream
// of events, the rules about events are not checked, but an error in it is reported.
func Check(header http.Header, status int, body io.Reader) []Finding {
	p := newReply(body, ReplyOptions{})
	j := &judge{count: map[int]int{}, ids: map[string]string{}}
	p.judge = j
	if status != 0 && status != http.StatusOK {
		j.find(ruleStatus, place{}, fmt.Sprintf("the status is %d", status))
	}
	if kind, _, _ := mime.ParseMediaType(header.Get("Content-Type")); header != nil && kind != "text/event-stream" {
		j.find(ruleType, place{}, fmt.Sprintf("the content type is %s", shown([]byte(kind))))
	}
	for _, err := range p.all {
		if err != nil {
			j.find(ruleUnreadable, p.at, fault.Message(err))
			return j.findings
		}
	}
	j.missing()
	return j.findings
}

// judge collects findings, and keeps the state for rules about more than one event. A nil
// judge collects nothing.
type judge struct {
	findings []Finding
	count    map[int]int // by number of the rule
	noStream bool

	events  int    // number of named events
	chunks  int    // number of chunks, with or without an id
	id      string // id of the first chunk
	ids     map[string]string
	hasRole bool
	hasText bool
	stops   int
	dones   int
}

// note reports a broken rule: as a warning event if the user should know of it, and as a
// finding if there is a judge. Text of the agent in the message is escaped.
func (p *reply) note(rule int, format string, args ...any) {
	switch {
	case p.judge != nil:
		p.judge.find(rule, p.at, printable(fmt.Sprintf(format, args...)))
	case rules[rule-1].warns && !p.warned[rule]:
		p.warned[rule] = true
		p.out = append(p.out, Event{Kind: EventWarning, Warning: printable(fmt.Sprintf(format, args...))})
	}
}

func (j *judge) find(rule int, at place, text string) {
	if j.count[rule]++; j.count[rule] > maxRepeats || j.noStream && rule != ruleUnreadable && rule != ruleError {
		return
	}
	j.noStream = j.noStream || rule == ruleStream
	r := rules[rule-1]
	j.findings = append(j.findings, Finding{
		Rule: r.Number, Name: r.Name, Severity: r.Severity, Fix: r.Fix, Line: at.line, Offset: at.offset,
		Text: strings.TrimSuffix(text, "."),
	})
}

// missing reports required parts that the answer does not have.
func (j *judge) missing() {
	if j.hasText && !j.hasRole {
		j.find(ruleRole, place{}, "no chunk has a role")
	}
	if j.stops == 0 {
		j.find(ruleStop, place{}, "no chunk has a finish_reason")
	}
	if j.dones == 0 {
		j.find(ruleDone, place{}, "there is no [DONE]")
	}
}

// named checks an event that has a name.
func (j *judge) named(p *reply) {
	if j == nil {
		return
	}
	if j.events++; j.events == 2 {
		p.note(ruleSecond, "the answer has a second named event, %s", p.name)
	}
}

func (j *judge) chunk(p *reply, f fields) {
	if j == nil {
		return
	}
	id := f.first("id")
	if j.chunks++; j.chunks == 1 {
		j.id = id
	}
	if id != j.id {
		p.note(ruleID, "the chunk has the id %q, the first has %q", brief(id), brief(j.id))
	}
}

func (j *judge) role(role string) {
	if j != nil && role != "" {
		j.hasRole = true
	}
}

func (j *judge) text(p *reply) {
	if j == nil {
		return
	}
	if j.hasText = true; j.stops > 0 {
		p.note(ruleAfterStop, "there is text after a finish_reason")
	}
}

func (j *judge) finish(p *reply, reason string) {
	if j == nil || reason == "" {
		return
	}
	if j.stops++; j.stops > 1 {
		p.note(ruleAfterStop, "there is a second finish_reason, %s", shown([]byte(reason)))
	}
}

// done checks a [DONE].
func (j *judge) done(p *reply) {
	if j == nil {
		return
	}
	if j.dones++; j.dones > 1 {
		p.note(ruleAfterDone, "there is a second [DONE]")
	}
}

func (j *judge) reference(p *reply, f fields, ref Reference) {
	if j == nil {
		return
	}
	j.typed(p, "a reference", "a string", f, "id")
	j.typed(p, "a reference", "a boolean", f, "is_implicit")
	j.typed(p, "a reference", "an object", f, "metadata")
	if meta := f["metadata"]; isObject(meta) {
		j.typed(p, "the metadata of a reference", "a string", fieldsOf(meta), "display_name", "display_icon", "display_url")
	}
	if _, taken := j.ids[ref.ID]; taken && ref.ID != "" {
		p.note(ruleReferenceData, "two references have the id %q", brief(ref.ID))
	}
	j.ids[ref.ID] = ref.Type
	if ref.Data != nil && !isObject(ref.Data) {
		p.note(ruleReferenceData, "the data of a reference is %s, not an object", kindOf(ref.Data))
	}
	if link := ref.Metadata.DisplayURL; link != "" && !isLink(link) {
		p.note(ruleReferenceData, "the display_url %q is not an http address", brief(link))
	}
}

// typed reports the fields that are there with another JSON type than kind.
func (j *judge) typed(p *reply, of, kind string, f fields, names ...string) {
	for _, name := range names {
		if is := kindOf(f[name]); !isNull(f[name]) && is != kind {
			p.note(ruleFieldType, "%s of %s is %s, not %s", name, of, is, kind)
		}
	}
}

func (j *judge) confirmation(p *reply, f fields) {
	if j == nil {
		return
	}
	if kind := f.first("type"); kind != "action" {
		p.note(ruleAction, "the type of the confirmation is %q", brief(kind))
	}
	switch data := f["confirmation"]; {
	case !isObject(data):
		p.note(ruleData, "confirmation is %s, not an object", kindOf(data))
	case isEmptyObject(data):
		p.note(ruleData, "confirmation is an empty object")
	case isNull(fieldsOf(data)["id"]):
		p.note(ruleDataID, "confirmation has no id")
	}
}

func (j *judge) fault(p *reply, f fields, e Fault) {
	if j == nil {
		return
	}
	j.typed(p, "an error", "a string", f, "type", "code", "message", "identifier")
	if err := require("type", e.Type, "code", e.Code, "message", e.Message, "identifier", e.Identifier); err != nil {
		p.note(ruleFault, "an error is incomplete: %v", err)
		return
	}
	if err := e.check(); err != nil {
		p.note(ruleFaultType, "the type of an error is %q", brief(e.Type))
	}
}
