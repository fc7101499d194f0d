package model

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
)

// Newer models check that nothing before their reasoning has changed: a provider refuses such a
// request, or drops the reasoning without a word. So an answer's reasoning is sealed: with each
// opaque piece goes a digest of everything that was sent before it. Before a later request, the
// digests are computed again, and reasoning whose digest differs is left out.
//
// The digests are a chain over the request as it is sent. Reasoning that was left out is not in
// it, so the reasoning of later answers is valid again.
//
// Source: Anthropic's page on prefix checks and OpenAI's on an unchanged prefix, 2026-11.

// Binding says what must not change before the reasoning of an answer.
type Binding uint8

const (
	// BoundToPrompt: the tools and everything before it in the conversation.
	BoundToPrompt Binding = iota
	// BoundToSettings: also the effort and the form of the answer.
	BoundToSettings
	// Unbound: nothing.
	Unbound
)

// bindingOf is what the reasoning of answers in a dialect is bound to.
func bindingOf(d Dialect) Binding {
	if over, ok := d.(*overHTTP); ok {
		return over.Binding
	}
	return BoundToPrompt
}

// sealer computes the digests of one request.
type sealer struct {
	binding Binding
	origin  Origin
	sum     [sha256.Size]byte // of what comes before
	buf     []byte
}

// sealBytes is how much of a digest is kept: enough to find every change that is an accident.
const sealBytes = 8

// leaveOut removes reasoning from a request that is not valid any more. Messages are copied
// before they are changed, because they belong to the caller.
func (c *Client) leaveOut(d Dialect, ep *Endpoint, r *Request) {
	s := sealer{binding: bindingOf(d), origin: OriginAt(ep, r)}
	r.digest = nil
	sealed := func(p Reasoning) bool { return p.Seal != "" && s.sends(&p) }
	if s.binding == Unbound || !slices.ContainsFunc(r.Messages, func(m Message) bool { return slices.ContainsFunc(m.Reasoning, sealed) }) {
		return
	}
	n := s.walk(r, true)
	r.digest = &s.sum
	if n > 0 {
		c.log.Debug("reasoning is not sent back, because something before it has changed", "model", s.origin.Model, "pieces", n)
	}
}

// seal sets the origin and the seals of an answer's reasoning. The request is the one that was
// answered.
func (c *Client) seal(ep *Endpoint, r *Request, resp *Response) {
	if len(resp.Reasoning) == 0 {
		return
	}
	s := sealer{origin: OriginAt(ep, r)}
	for i := range resp.Reasoning {
		resp.Reasoning[i].Origin = s.origin
	}
	opaque := func(p Reasoning) bool { return p.Opaque != "" }
	d, err := c.dialect(ep.Dialect)
	if err != nil || bindingOf(d) == Unbound || !slices.ContainsFunc(resp.Reasoning, opaque) {
		return
	}
	s.binding = bindingOf(d)
	if r.digest != nil {
		s.sum = *r.digest
	} else {
		s.walk(r, false)
	}
	answer := Message{Role: RoleAssistant, Content: resp.Text, Reasoning: resp.Reasoning, ToolCalls: resp.ToolCalls}
	s.answer(&answer, func(p *Reasoning, sum [sha256.Size]byte) bool {
		p.Seal = hex.EncodeToString(sum[:sealBytes])
		return true
	})
}

// walk computes the digest of a request. If check is set, it leaves out what is not valid.
func (s *sealer) walk(r *Request, check bool) (dropped int) {
	s.sum = [sha256.Size]byte{}
	s.settings(r)
	copied := false
	var form [2 * sealBytes]byte
	for i := range r.Messages {
		m := &r.Messages[i]
		if m.Role != RoleAssistant {
			s.message(m)
			continue
		}
		var broken []int
		at := -1
		s.answer(m, func(p *Reasoning, sum [sha256.Size]byte) bool {
			at++
			valid := !check || p.Seal == "" || string(hex.AppendEncode(form[:0], sum[:sealBytes])) == p.Seal
			if !valid {
				broken = append(broken, at)
			}
			return valid
		})
		if len(broken) == 0 {
			continue
		}
		if !copied {
			r.Messages, copied = slices.Clone(r.Messages), true
		}
		r.Messages[i].Reasoning = s.without(r.Messages[i].Reasoning, broken)
		dropped += len(broken)
	}
	return dropped
}

// without returns the pieces but for those that are broken, counted among the opaque ones.
func (s *sealer) without(pieces []Reasoning, broken []int) (kept []Reasoning) {
	at := -1
	for _, p := range pieces {
		if s.sends(&p) && p.Opaque != "" {
			if at++; slices.Contains(broken, at) {
				continue
			}
		}
		kept = append(kept, p)
	}
	return kept
}

// sends reports whether a piece goes to where the request goes.
func (s *sealer) sends(p *Reasoning) bool { return p.Origin == s.origin }

// answer adds an answer to the digest. Each opaque piece is shown to valid with the digest up to
// it and of itself; a piece for which that returns false is not added.
func (s *sealer) answer(m *Message, valid func(*Reasoning, [sha256.Size]byte) bool) {
	text, calls := 0, 0 // of the message, that are added
	upTo := func(endText, endCalls int) {
		s.begin()
		s.text(string(m.Role), m.Content[text:max(text, endText)])
		for _, c := range m.ToolCalls[calls:max(calls, endCalls)] {
			s.text(c.ID, c.Arguments) // not the name, which providers may know otherwise
		}
	}
	for i := range m.Reasoning {
		p := &m.Reasoning[i]
		if !s.sends(p) {
			continue
		}
		before, endText, endCalls := s.sum, min(p.AfterText, len(m.Content)), min(p.AfterCalls, len(m.ToolCalls))
		upTo(endText, endCalls)
		s.text(p.Field, p.Text, p.Opaque)
		s.end()
		if p.Opaque != "" && !valid(p, s.sum) {
			s.sum = before
			continue
		}
		text, calls = max(text, endText), max(calls, endCalls)
	}
	upTo(len(m.Content), len(m.ToolCalls))
	s.end()
}

// settings adds what comes before the conversation.
func (s *sealer) settings(r *Request) {
	s.begin()
	for i := range r.Tools {
		s.text(r.Tools[i].Name, r.Tools[i].Description, string(r.Tools[i].Parameters))
	}
	if s.binding == BoundToSettings {
		s.text("effort", r.ReasoningEffort)
		if f := r.Format; f != nil {
			s.text("format", f.Name, f.Description, string(f.Schema))
		}
	}
	if r.Citations {
		s.text("citations")
	}
	s.end()
}

// message adds a message that is not an answer.
func (s *sealer) message(m *Message) {
	s.begin()
	s.text(string(m.Role), m.Content, m.ToolCallID)
	for i := range m.Parts {
		p := &m.Parts[i]
		s.text(p.Text, p.ImageURL)
		if d := p.Document; d != nil {
			s.text(d.Name, d.MediaType, d.Data)
		}
	}
	s.end()
}

// begin begins a link of the chain, which end closes.
func (s *sealer) begin() { s.buf = append(s.buf[:0], s.sum[:]...) }

// text adds texts, each with its length, so that no two lists of texts are the same.
func (s *sealer) text(texts ...string) {
	for _, t := range texts {
		s.buf = append(binary.AppendUvarint(s.buf, uint64(len(t))), t...)
	}
}

func (s *sealer) end() { s.sum = sha256.Sum256(s.buf) }
