package session

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/known"
	"github.com/sidestick-dev/sidestick/internal/turn"
)

// How long a prompt may be is known from, in this order: the client, for the models of its
// provider; the user's file models.json; the provider's list of models; the catalogue of package
// known. If none of them knows the model, defaultContextTokens is assumed. A limit that the provider
// has named in an error bounds all of these, and replaces what was only assumed.

// facts is what this process knows about models. Safe for concurrent use.
type facts struct {
	catalogue *known.Catalogue

	mu      sync.Mutex
	windows map[spot]window
	listed  map[spot]time.Time // when lists were asked for models that nothing else knows
}

// spot is a model at an address.
type spot struct{ address, model string }

// window is what calls have shown about the limit of a model, in tokens; 0 is not known.
type window struct {
	refused  int64 // the provider has named this limit
	accepted int64 // a prompt with its answer had this length
}

const (
	// maxWindows bounds the models about which something is remembered; then all is forgotten.
	maxWindows = 4096
	// leastWindow is the smallest limit that is believed; no model that calls tools has less.
	leastWindow = 1024
	// listWait bounds the wait for a list that is only asked for the limits of a model, and
	// listAgain is how long the answer to that counts.
	listWait  = 3 * time.Second
	listAgain = 5 * time.Minute
)

// learn takes over what a call has shown: its answer, or why it failed.
func (f *facts) learn(at spot, resp *model.Response, err error) {
	var seen window
	if e := modelError(err); e != nil && e.Category == model.CategoryContextLimit && e.Limit >= leastWindow {
		seen.refused = int64(e.Limit)
	}
	if err == nil && resp.Usage.Reported {
		seen.accepted = resp.Usage.Input + resp.Usage.Output
	}
	if seen == (window{}) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.windows == nil || len(f.windows) >= maxWindows {
		f.windows = map[spot]window{}
	}
	now := f.windows[at]
	now.refused, now.accepted = cmp.Or(seen.refused, now.refused), max(seen.accepted, now.accepted)
	f.windows[at] = now
}

// of returns what was learnt about a model.
func (f *facts) of(at spot) window {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.windows[at]
}

// window returns how many tokens a prompt may have for a model of the endpoint, 0 if it has no
// limit, as agents.
func (e *turnEndpoint) window(name string) int64 {
	if e.facts == nil || e.contextTokens == 0 {
		return e.contextTokens
	}
	w := e.facts.of(e.spot(name))
	limit := e.contextTokens
	if other, ok := e.other(name); ok && !e.fixed {
		limit = cmp.Or(e.prompt(other), limit)
	}
	if w.refused > 0 {
		if named := e.withoutAnswer(w.refused); e.assumed || named < limit {
			limit = named
		}
	}
	if e.assumed && w.refused == 0 {
		limit = max(limit, w.accepted)
	}
	return limit
}

// spot is where a model of the endpoint is.
func (e *turnEndpoint) spot(name string) spot {
	return spot{e.endpoint.BaseURL, cmp.Or(e.endpoint.WireModel, name)}
}

// withoutAnswer is what remains of a context window for the prompt: providers count the answer
// that a request reserves, too. At least half remains.
func (e *turnEndpoint) withoutAnswer(context int64) int64 {
	reserved := int64(e.endpoint.MaxOutputTokens)
	if reserved == 0 && e.bounds() {
		reserved = anthropic.DefaultLimit
	}
	return max(context-reserved, context/2)
}

// bounds reports whether each answer has a bound, also where none is set.
func (e *turnEndpoint) bounds() bool {
	switch e.endpoint.Dialect {
	case anthropic.Name:
		return true
	case "", chat.Name:
		return chat.Bounds(&e.endpoint)
	}
	return false
}

// leastBytes is how many bytes a token of a prompt has at least on average, to estimate what the
// window leaves. Source: samples of the tokenizers of Claude since 4.7 have 2.3 (a git log) to 3.6 (prose);
// claudecodecamp.com, "I measured Claude 4.7's new tokenizer". An estimate that is too high only
// makes the bound of an answer smaller, and one that is too low is refused and repaired.
const leastBytes = 2

// bound returns how many tokens the answer to a request can have: the model's output limit, or
// the free part of the window if that is smaller. The part of the window that is kept free for answers is left
// in any case. 0 if it is not known what the model can.
func (e *turnEndpoint) bound(req model.Request) int {
	longest := int64(e.maxOutput)
	if e.facts == nil {
		return 0
	}
	if other, ok := e.other(req.Model); ok {
		longest = other.OutputTokens
	}
	if window := e.window(req.Model); window > 0 && !e.assumed {
		p := turn.Prompt{Request: req}
		left := window - p.Bytes()/leastBytes
		longest = min(longest, max(left, 0)+anthropic.DefaultLimit)
	}
	return int(longest)
}

// describe looks the model up, and has the endpoint use what is known about it. It may ask the
// provider for its list. info is the model's entry in that, if it has been asked already. An error
// is about the user's file.
func (f *facts) describe(ctx context.Context, c modelChoice, e *turnEndpoint, info model.Info) error {
	e.vendor = cmp.Or(c.provider.Vendor, known.ProviderAt(e.endpoint.BaseURL))
	found, err := f.catalogue.Find(e.vendor, e.spot(e.model).model)
	if err != nil {
		return err
	}
	if c.provider.Lists && !found.Exact && found.User.Prompt() == 0 && info.ID == "" {
		info = f.listing(ctx, e)
	}
	m, listed := found.Model(), int64(cmp.Or(info.MaxPrompt, info.MaxContext))
	e.contextTokens = cmp.Or(c.provider.ContextTokens, e.prompt(found.User), listed, e.prompt(found.Published), defaultContextTokens)
	e.fixed = c.provider.ContextTokens > 0
	e.assumed = c.provider.ContextTokens+m.Prompt()+listed == 0
	e.maxOutput = int(cmp.Or(found.User.OutputTokens, int64(info.MaxOutput), found.Published.OutputTokens))
	e.documents, e.price, e.known = m.PDFs, info.Price, m.ReasoningEfforts
	if p := m.PriceAt(time.Now()); p != nil && (found.User.Prices != nil || e.price == nil) {
		e.price = p
	}
	if m.Images != nil && (found.User.Images != nil || info.ID == "") {
		e.vision = *m.Images
	}
	return nil
}

// prompt is the limit of a model's prompt at the endpoint, 0 if it is not known.
func (e *turnEndpoint) prompt(m known.Model) int64 {
	if m.ContextTokens == 0 {
		return m.PromptTokens
	}
	return min(e.withoutAnswer(m.ContextTokens), cmp.Or(m.PromptTokens, m.ContextTokens))
}

// listing returns the endpoint's entry of its model in the provider's list; the zero value if the
// provider has none, does not answer in listWait, or has not answered lately.
func (f *facts) listing(ctx context.Context, e *turnEndpoint) model.Info {
	at := e.spot(e.model)
	f.mu.Lock()
	asked := time.Since(f.listed[at]) < listAgain
	f.mu.Unlock()
	if asked {
		return model.Info{}
	}
	ctx, cancel := context.WithTimeout(ctx, listWait)
	defer cancel()
	list, err := e.client.Models(ctx, e.endpoint)
	for _, info := range list {
		if info.ID == at.model {
			return info
		}
	}
	if err != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.listed == nil || len(f.listed) >= maxWindows {
			f.listed = map[spot]time.Time{}
		}
		f.listed[at] = time.Now()
	}
	return model.Info{}
}

// other is what the catalogue knows about a model of the endpoint other than the one that it was
// resolved for: a session may change its model during a run, and an agent has its own.
func (e *turnEndpoint) other(name string) (m known.Model, ok bool) {
	if name == e.model || e.endpoint.WireModel != "" {
		return m, false
	}
	found, err := e.facts.catalogue.Find(e.vendor, name)
	return found.Model(), err == nil
}

// priced adds to the answer of a model what it has cost, unless the provider says so itself.
func (e *turnEndpoint) priced(name string, resp *model.Response) {
	u, price := &resp.Usage, e.price
	if u.Cost != nil || !u.Reported || e.facts == nil {
		return
	}
	if m, ok := e.other(name); ok {
		price = m.PriceAt(time.Now())
	}
	if price != nil {
		cost := price.Cost(known.Tokens{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite})
		u.Cost = &cost
	}
}
