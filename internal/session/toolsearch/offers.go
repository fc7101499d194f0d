package toolsearch

import (
	"cmp"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/offer"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

const (
	// Threshold is the number of tools of MCP servers and clients above which they are deferred, if nobody has chosen
	// another one. Source: the SDK's documentation of deferThreshold.
	Threshold = 30
	// windowShare and leastTokens bound, without a chosen threshold, also the tokens of their definitions: a tenth of the
	// window, and at least these. 30 ordinary tools take some 10,000 tokens, a tenth of a window of 128,000.
	windowShare, leastTokens = 10, 2000
	bytesPerToken            = 4 // as an estimate that does not change while a session goes on
	assumedWindow            = 128_000
	// mostFound bounds the tools of a request that were found: with the built-in ones they are fewer than 128, which all
	// providers take.
	mostFound = 96
)

// Settings are the choice of the user, or of a client, whether and from how many on tools are deferred. The zero value
// is the default.
type Settings struct {
	Off bool
	// Threshold is the number of tools that are not deferred yet; nil: [Threshold], and a bound in tokens.
	Threshold *int64
}

// With returns the settings with those of a client, which may be nil and takes precedence.
func (s Settings) With(of *wire.ToolSearch) Settings {
	if of == nil {
		return s
	}
	if of.Enabled != nil {
		s.Off = !*of.Enabled
	}
	s.Threshold = cmp.Or(of.DeferThreshold, s.Threshold)
	return s
}

// Request is what the choice depends on.
type Request struct {
	All   []*offer.Tool // that the agent may call, with the search tool
	Agent agent.Definition
	Found []string // the names of tools that were found, the oldest first
	Settings
	offer.Limits
}

// same reports whether another request leads to the same choice.
func (r *Request) same(o *Request) bool {
	return r.Off == o.Off && (r.Threshold == o.Threshold || r.Threshold != nil && o.Threshold != nil && *r.Threshold == *o.Threshold) &&
		r.Limits == o.Limits && r.Agent.DeferTools == o.Agent.DeferTools && slices.Equal(r.Agent.Tools, o.Agent.Tools) &&
		slices.Equal(r.Found, o.Found) && slices.Equal(r.All, o.All)
}

// Offered are the tools of a call. Nobody changes it.
type Offered struct {
	Tools    []*offer.Tool // that the request has
	Deferred []*offer.Tool // that are found by a search; those that were found are in Tools, too
	// Steady are the names of Tools without those that were found.
	Steady []string
	// Sent is Tools as the model gets them, and ByName those that it can call, also if they are deferred.
	Sent   []model.Tool
	ByName map[string]turn.Offer
	// Err says why the tools cannot be sent; nil: they can.
	Err error
}

// Offers chooses the tools of the calls of one conversation. Most calls have the tools of the call before. The zero
// value is ready. It belongs to the session's goroutine.
type Offers struct {
	last Request
	now  *Offered
}

// Of returns the tools of a call.
func (o *Offers) Of(r Request, sheets *offer.Sheets) *Offered {
	if o.now == nil || !r.same(&o.last) {
		o.last, o.now = r, choose(&r, sheets)
	}
	return o.now
}

// Has reports whether the last request had a tool.
func (o *Offers) Has(name string) bool {
	if o.now == nil {
		return false
	}
	t, ok := o.now.ByName[name]
	return ok && !t.Deferred
}

// Chosen are all tools that the agent may call, and what the request does with each.
func (o *Offered) Chosen() (all []offer.Chosen) {
	for _, t := range o.Tools {
		all = append(all, offer.Chosen{Definition: t.Definition, Deferred: slices.Contains(o.Deferred, t), Sent: true})
	}
	for _, t := range o.Deferred {
		if !slices.Contains(o.Tools, t) {
			all = append(all, offer.Chosen{Definition: t.Definition, Deferred: true})
		}
	}
	return all
}

// Similar returns names of deferred tools that are close to a name that no tool has.
func (o *Offered) Similar(name string) (names []string) {
	for _, t := range rank(o.Deferred, name, mostSimilar) {
		names = append(names, model.WireName(t.Definition.Name))
	}
	return names
}

// choose decides which tools are deferred.
func choose(r *Request, sheets *offer.Sheets) *Offered {
	var search *offer.Tool
	var rest, fixed, loose []*offer.Tool
	for _, t := range r.All {
		d := &t.Definition
		if d.Name == fact.ToolSearch {
			search = t
			continue
		}
		rest = append(rest, t)
		if d.Origin == tool.Builtin || d.Preloaded || r.Agent.Preloads(offer.Named(d)) {
			fixed = append(fixed, t)
		} else {
			loose = append(loose, t)
		}
	}
	if r.Off || search == nil || !r.defers(loose, len(rest)) {
		out := &Offered{Tools: rest}
		if r.Most > 0 && len(rest) > r.Most {
			out.Err = tooMany(len(rest), r.Most, "Tool search is switched off: switch it on with toolSearch, so that tools of MCP servers and clients are found when they are needed, or leave tools out with excludedTools.")
			if len(loose) == 0 {
				out.Err = tooMany(len(rest), r.Most, neverDeferred)
			}
		}
		return out.complete()
	}
	out := &Offered{Deferred: loose, Tools: append(fixed, offered(search, loose, sheets))}
	room := mostFound
	if r.Most > 0 {
		if room = min(room, r.Most-len(out.Tools)); room < 1 {
			out.Err = noRoom(len(out.Tools), r.Most)
		}
	}
	found := newest(r.Found, loose, room)
	for _, t := range out.Tools {
		out.Steady = append(out.Steady, t.Sent.Name)
	}
	out.Tools = append(out.Tools, found...)
	return out.complete()
}

const neverDeferred = "These are the built-in ones and those that are never deferred: let more be deferred (defer, deferTools, and deferred-tool-loading of an agent), or leave tools out with excludedTools."

func tooMany(n, most int, then string) error {
	return fault.New(fault.Invalid, "session.tools", "", "a call of the model would have %d tools, and its provider takes %d at most. %s", n, most, then)
}

// noRoom is the error of a request that has no place for a tool that is found, besides the n tools that it must have.
func noRoom(n, most int) error {
	if n > most {
		return tooMany(n, most, neverDeferred)
	}
	return fault.New(fault.Invalid, "session.tools", "", "a call of the model would have %d tools, as many as its provider takes, which leaves no room for one that is found. %s", n, neverDeferred)
}

// defers reports whether the tools that can be deferred are, of all tools.
func (r *Request) defers(loose []*offer.Tool, all int) bool {
	if len(loose) == 0 {
		return false
	}
	if r.Most > 0 && all > r.Most {
		return true
	}
	if r.Threshold != nil {
		return int64(len(loose)) > *r.Threshold
	}
	var size int64
	for _, t := range loose {
		d := &t.Definition
		size += int64(len(d.Name) + len(d.Description) + len(d.Parameters))
	}
	return len(loose) > Threshold || size/bytesPerToken > max(cmp.Or(r.Window, assumedWindow)/windowShare, leastTokens)
}

// newest returns those of the tools that were found last, in the order in which they were found. If there are more than
// room, the oldest leave, several at a time: each time that they do, the provider has to read the request anew.
func newest(found []string, loose []*offer.Tool, room int) (out []*offer.Tool) {
	for _, name := range found {
		if i := slices.IndexFunc(loose, func(t *offer.Tool) bool { return t.Definition.Name == name }); i >= 0 {
			out = append(out, loose[i])
		}
	}
	if over := len(out) - room; over > 0 && room > 0 {
		step := max(room/2, 1)
		out = out[min((over+step-1)/step*step, len(out)-1):]
	} else if over > 0 {
		out = nil
	}
	return out
}

// complete fills in what follows from the tools.
func (o *Offered) complete() *Offered {
	o.ByName = make(map[string]turn.Offer, len(o.Tools)+len(o.Deferred))
	for _, t := range o.Deferred {
		deferred := turn.Offer{Tool: t.Tool, Schema: t.Schema, Deferred: true}
		o.ByName[t.Sent.Name], o.ByName[model.WireName(t.Sent.Name)] = deferred, deferred // by which the model knows it
	}
	for _, t := range o.Tools {
		if t.Sent.Name != model.WireName(t.Sent.Name) {
			delete(o.ByName, model.WireName(t.Sent.Name))
		}
		o.ByName[t.Sent.Name] = turn.Offer{Tool: t.Tool, Schema: t.Schema}
		o.Sent = append(o.Sent, t.Sent)
	}
	if o.Steady == nil {
		for _, t := range o.Tools {
			o.Steady = append(o.Steady, t.Sent.Name)
		}
	}
	return o
}
