package extension

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Finding is where an answer breaks a rule.
type Finding struct {
	// Rule is the number of the rule; Name, Severity and Fix are the rule's too.
	Rule     int
	Name     string
	Severity Severity
	Fix      string
	// Line is the number of the line in the body, from 1; 0 if it is about the answer
	// as a whole: its status, its headers, or what it lacks.
	Line int
	// Offset is that of the line's first byte in the body, from 0.
	Offset int64
	// Text is what is wrong, in a few words.
	Text string
}

// String returns the finding as a line: where, how bad, what, by which rule, and what
// to do.
func (f Finding) String() string {
	where := "answer"
	if f.Line > 0 {
		where = fmt.Sprintf("line %d (byte %d)", f.Line, f.Offset)
	}
	return fmt.Sprintf("%s: %s: %s [%d %s]. %s", where, f.Severity, f.Text, f.Rule, f.Name, f.Fix)
}

// maxRepeats bounds how often one rule is found broken in an answer.
const maxRepeats = 5

// Check judges an agent's answer as an author wants it judged: by everything that
// some client would stumble over, or that [ReadReply] takes although it is not as it
// should be. It reads the body to its end, within ReadReply's limits, and does not
// stop at what it finds. An impeccable answer has no findings.
//
// A status of 0, or a nil header, is not known and not judged, such as of a file.
// Findings are in the order of the body, those about the headers before and those
// about what is missing after all others; each rule is reported five times at most. If
// the answer is no stream at all, nothing else is said of the body.
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

// judge collects findings, and remembers what rules about more than one event need.
// A nil judge finds nothing.
type judge struct {
	findings []Finding
	count    map[int]int // by rule
	noStream bool

	events  int    // with a name
	chunks  int    // with an id or without
	id      string // of the first chunk
	ids     map[string]string
	hasRole bool
	hasText bool
	stops   int
	dones   int
}

// note is something in the answer that is not as it should be: a warning, if a person
// should know, or else nothing; and for a judge a finding. It may hold words of the
// agent's, which are made to print.
func (p *reply) note(rule int, format string, args ...any) {
	switch {
	case p.judge != nil:
		p.judge.find(rule, p.at, printable(fmt.Sprintf(format, args...)))
	case rules[rule-1].told && !p.warned[rule]:
		p.warned[rule] = true
		p.out = append(p.out, Event{Kind: EventWarning, Warning: printable(fmt.Sprintf(format, args...))})
	}
}

func (j *judge) find(rule int, at place, text string) {
	if j.count[rule]++; j.count[rule] > maxRepeats || j.noStream && rule != ruleUnreadable {
		return
	}
	j.noStream = j.noStream || rule == ruleStream
	r := rules[rule-1]
	j.findings = append(j.findings, Finding{
		Rule: r.Number, Name: r.Name, Severity: r.Severity, Fix: r.Fix, Line: at.line, Offset: at.offset,
		Text: strings.TrimSuffix(text, "."),
	})
}

// missing finds what should have been there.
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

// named takes note of an event with a name.
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

// done takes note of a [DONE].
func (j *judge) done(p *reply) {
	if j == nil {
		return
	}
	if j.dones++; j.dones > 1 {
		p.note(ruleAfterDone, "there is a second [DONE]")
	}
}

func (j *judge) reference(p *reply, ref Reference) {
	if j == nil {
		return
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

func (j *judge) fault(p *reply, e Fault) {
	if j == nil {
		return
	}
	if err := require("type", e.Type, "code", e.Code, "message", e.Message, "identifier", e.Identifier); err != nil {
		p.note(ruleFault, "an error is not whole: %v", err)
		return
	}
	if err := e.check(); err != nil {
		p.note(ruleFaultType, "the type of an error is %q", brief(e.Type))
	}
}
