package provider

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/known"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// How long a prompt may be is known from, in this order: the client, for the models of its
// provider, and settings; the user's file models.json; the server itself (ask.go); the provider's list of models; the catalogue of package
// known. If none of them knows the model, DefaultContextTokens is assumed. A limit that the provider
// has named in an error bounds all of these, and replaces what was only assumed. What a server has said,
// and an error has named, is kept for the next process.

// The words for where a window comes from, besides those of package model.
const (
	windowOfClient    = "the client"
	WindowOfUser      = "models.json"
	WindowOfCatalogue = "the catalogue"
	WindowOfError     = "an error of the provider"
	WindowAssumed     = "assumed"
	windowAccepted    = "a prompt of this length was accepted"
	// WindowRequested is the source of a window that each request asks for, as those for Ollama do.
	WindowRequested = "num_ctx of the requests"
)

// Facts is what this process knows about models: the catalogue, the user's file models.json, what calls have shown,
// and what servers have said about their windows. It is safe for concurrent use.
type Facts struct {
	catalogue *known.Catalogue
	questions

	mu      sync.Mutex
	windows map[spot]window
	listed  map[spot]time.Time // when lists were asked for models that nothing else knows
}

// OpenFacts returns what is known about models, with the files in the user's folder home. logs gets why something is
// not known; nil: nobody does. What a server says is stored there for the next process. [Facts.Stop] ends it.
func OpenFacts(fs vfs.FS, home string, logs *slog.Logger) *Facts {
	if logs == nil {
		logs = slog.New(slog.DiscardHandler)
	}
	f := &Facts{catalogue: known.New(fs, known.Path(home))}
	f.kept, f.log = known.OpenWindows(fs, home, logs), logs
	return f
}

// ReadFacts is [OpenFacts] for a program that only looks: nothing is stored.
func ReadFacts(fs vfs.FS, home string, logs *slog.Logger) *Facts {
	f := OpenFacts(fs, home, logs)
	f.looks = true
	return f
}

// spot is a model at an address.
type spot struct{ address, model string }

// Window is what calls have shown about the limit of a model, in tokens; 0 is not known.
type window struct {
	refused  int64     // the provider has named this limit
	named    time.Time // when
	against  int64     // what the server says since then
	accepted int64     // a prompt with its answer had this length
	said     int64     // what the server says
	source   string    // where it has said that
	heard    time.Time // when
	kept     bool      // an earlier process has heard it
	tools    int       // the provider has named this limit of the tools of a request
}

const (
	// maxWindows bounds each of the maps about models. Clients choose addresses and names, so a process that serves
	// many of them would otherwise hold more and more. Any one goes for a new one, also one that is in use: what was known
	// of it is found out again, with one question or one refusal.
	maxWindows = 4096
	// leastWindow is the smallest limit that is believed; no model that calls tools has less.
	leastWindow = 1024
	// listWait bounds the wait for a list that is only asked for the limits of a model, and
	// listAgain is how long the answer to that counts.
	listWait  = 3 * time.Second
	listAgain = 5 * time.Minute
)

// learn takes over what a call has shown: its answer, or why it failed.
func (f *Facts) learn(at spot, resp *model.Response, err error) {
	if e := model.ErrorOf(err); e != nil && e.Category == model.CategoryContextLimit && e.Limit >= leastWindow {
		f.change(at, func(now *window) {
			now.refused, now.named, now.against = int64(e.Limit), time.Now(), 0
		})
		f.keep(at)
		f.again(at)
	}
	if e := model.ErrorOf(err); e != nil && e.Category == model.CategoryToolLimit && e.Limit > 0 {
		f.change(at, func(now *window) { now.tools = e.Limit })
	}
	if err == nil && resp.Usage.Reported {
		f.change(at, func(now *window) { now.accepted = max(resp.Usage.Input+resp.Usage.Output, now.accepted) })
	}
}

// change changes what is known about a model.
func (f *Facts) change(at spot, by func(*window)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.windows = roomFor(at, f.windows)
	now, found := f.windows[at]
	if !found {
		now = f.recalled(at)
	}
	by(&now)
	f.windows[at] = now
}

// roomFor returns a map that can hold something about a model, too; it makes one of nil. A map that is full loses an entry.
func roomFor[V any](at spot, all map[spot]V) map[spot]V {
	if all == nil {
		return map[spot]V{}
	}
	if _, found := all[at]; !found && len(all) >= maxWindows {
		for other := range all {
			delete(all, other)
			break
		}
	}
	return all
}

// of returns what was learnt about a model, also by earlier processes.
func (f *Facts) of(at spot) window {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now, found := f.windows[at]; found {
		return now
	}
	return f.recalled(at)
}

// Window returns how many tokens a prompt may have for a model of the endpoint, 0 if it has no
// limit, as agents.
func (e *Endpoint) Window(name string) int64 { return e.Limit(name).Tokens }

// Limit is [Endpoint.Window] with its source.
func (e *Endpoint) Limit(name string) PromptWindow {
	return e.limits(name).prompt
}

// windowLimits is what is known about the window of a model.
type windowLimits struct {
	prompt PromptWindow // of the prompt
	whole  int64        // with the answer, in tokens, where that is known; else as prompt
	guess  bool         // it is only assumed, or at least what was accepted
}

func (e *Endpoint) limits(name string) windowLimits {
	l := windowLimits{PromptWindow{e.contextTokens, e.limitFrom}, cmp.Or(e.wholeTokens, e.contextTokens), e.assumed}
	if e.facts == nil || e.contextTokens == 0 {
		return l
	}
	w := e.facts.of(e.spot(name))
	if other, ok := e.other(name); ok && !e.fixed {
		if own := e.prompt(other.Model()); own > 0 {
			l = windowLimits{PromptWindow{own, WindowOfCatalogue}, cmp.Or(other.Model().ContextTokens, own), false}
			if other.User.Prompt() > 0 {
				l.prompt.Source = WindowOfUser
			}
		}
	}
	if w.said >= leastWindow && e.heeds(name) {
		if said := e.withoutAnswer(w.said); !e.requested || said < l.prompt.Tokens {
			l = windowLimits{PromptWindow{said, w.source}, w.said, false}
			if w.kept {
				l.prompt.Source += onDay(w.heard)
			}
		}
	}
	if w.refused > 0 {
		if named := e.withoutAnswer(w.refused); l.guess || named < l.prompt.Tokens {
			return windowLimits{PromptWindow{named, WindowOfError + onDay(w.named)}, w.refused, false}
		}
	}
	if l.guess && w.accepted > l.prompt.Tokens {
		l.prompt, l.whole = PromptWindow{w.accepted, windowAccepted}, w.accepted
	}
	return l
}

// PromptWindow is how many tokens a prompt may have, and where that is known from, in words.
type PromptWindow struct {
	Tokens int64
	Source string
}

func onDay(t time.Time) string { return " on " + t.Format(time.DateOnly) }

// heeds reports whether the server's own word counts for a model of the endpoint: the client, settings and the
// user's file come first.
func (e *Endpoint) heeds(name string) bool {
	if name == e.Model || e.At.WireModel != "" || e.fixed {
		return e.open
	}
	found, err := e.facts.catalogue.Find(e.vendor, name)
	return err == nil && found.User.Prompt() == 0
}

// spot is where a model of the endpoint is.
func (e *Endpoint) spot(name string) spot {
	return spot{e.At.BaseURL, cmp.Or(e.At.WireModel, name)}
}

// withoutAnswer is what remains of a context window for the prompt: providers count the answer
// that a request reserves, too. At least half remains, and three quarters of a small window, which our own text nearly fills.
func (e *Endpoint) withoutAnswer(context int64) int64 {
	reserved := int64(e.At.MaxOutputTokens)
	if reserved == 0 && e.bounds() {
		reserved = anthropic.DefaultLimit
	}
	if context < SmallWindow {
		return max(context-reserved, context-context/4)
	}
	return max(context-reserved, context/2)
}

// bounds reports whether each answer has a bound, also where none is set.
func (e *Endpoint) bounds() bool {
	switch e.At.Dialect {
	case anthropic.Name:
		return true
	case "", chat.Name:
		return chat.Bounds(&e.At)
	}
	return false
}

// leastBytes is how many bytes a token of a prompt has at least on average, to estimate what the
// window leaves. Source: samples of the tokenizers of Claude since 4.7 have 2.3 (a git log) to 3.6 (prose);
// claudecodecamp.com, "I measured Claude 4.7's new tokenizer". An estimate that is too high only
// makes the bound of an answer smaller, and one that is too low is refused and repaired.
const leastBytes = 2

// bound returns how many tokens the answer to a request can have: the model's output limit, or
// the free part of the window if that is smaller; in a small window, it is at most 32,000 if the model's limit is not
// known. The part of the window that is kept free for answers is left in any case. 0 if it is not known what the model can.
func (e *Endpoint) bound(req model.Request) int {
	longest := int64(e.maxOutput)
	if e.facts == nil {
		return 0
	}
	if other, ok := e.other(req.Model); ok {
		longest = other.Model().OutputTokens
	}
	if window := e.Window(req.Model); e.Narrow(req.Model) {
		longest = min(cmp.Or(longest, anthropic.DefaultLimit), e.left(req))
	} else if window > 0 && e.Sure(req.Model) {
		longest = min(longest, e.left(req))
	}
	return int(longest)
}

// left is how many tokens an answer can have: what the prompt leaves of the window, by an estimate that is rather
// too small, and at least what is kept free.
func (e *Endpoint) left(req model.Request) int64 {
	p, window := turn.Prompt{Request: req}, e.Window(req.Model)
	free := int64(anthropic.DefaultLimit)
	if e.Narrow(req.Model) {
		free = max(window/4, leastRest)
	}
	return max(window-p.Bytes()/leastBytes, 0) + free
}

// capped bounds the answer to a request by what a small window leaves for it: some servers refuse a
// request whose prompt and longest answer are more than the window together.
func (e *Endpoint) capped(req *model.Request) {
	if e.facts == nil || !e.Narrow(req.Model) {
		return
	}
	if most := e.left(*req); int64(req.OutputLimit(&e.At)) > most {
		req.MaxOutputTokens = int(most)
	}
}

// describe looks the model up, and has the endpoint use what is known about it. It may ask the
// provider for its list. info is the model's entry in that, if it has been asked already. An error
// is about the user's file.
func (f *Facts) describe(ctx context.Context, c Choice, e *Endpoint, info model.Info) error {
	e.vendor = known.ProviderOf(c.Provider.Vendor, e.At.BaseURL)
	found, err := f.catalogue.Find(e.vendor, e.spot(e.Model).model)
	if err != nil {
		return err
	}
	if c.Provider.Lists && !found.Exact && found.User.Prompt() == 0 && info.ID == "" {
		info = f.listing(ctx, e)
	}
	m, listed := found.Model(), int64(cmp.Or(info.MaxPrompt, info.MaxContext))
	for _, w := range []struct {
		PromptWindow
		whole int64
	}{
		{PromptWindow{c.Provider.ContextTokens, cmp.Or(c.Provider.ContextFrom, windowOfClient)}, c.Provider.WindowTokens},
		{PromptWindow{e.prompt(found.User), WindowOfUser}, found.User.ContextTokens},
		{PromptWindow{listed, model.WindowOfList}, int64(info.MaxContext)},
		{PromptWindow{e.prompt(found.Published), WindowOfCatalogue}, found.Published.ContextTokens},
		{PromptWindow{DefaultContextTokens, WindowAssumed}, 0},
	} {
		if w.Tokens > 0 {
			e.contextTokens, e.limitFrom, e.wholeTokens = w.Tokens, w.Source, w.whole
			break
		}
	}
	e.fixed = c.Provider.ContextTokens > 0
	e.requested = c.Provider.ContextFrom == WindowRequested
	e.assumed = e.limitFrom == WindowAssumed
	e.open = e.requested || !e.fixed && found.User.Prompt() == 0
	e.maxOutput = int(cmp.Or(found.User.OutputTokens, int64(info.MaxOutput), found.Published.OutputTokens))
	e.documents, e.price, e.Known = m.PDFs, info.Price, m.ReasoningEfforts
	if p := m.PriceAt(time.Now()); p != nil && (found.User.Prices != nil || e.price == nil) {
		e.price = p
	}
	if m.Images != nil && (found.User.Images != nil || info.ID == "") {
		e.vision = *m.Images
	}
	f.ask(ctx, c, e)
	return nil
}

// prompt is the limit of a model's prompt at the endpoint, 0 if it is not known.
func (e *Endpoint) prompt(m known.Model) int64 {
	if m.ContextTokens == 0 {
		return m.PromptTokens
	}
	return min(e.withoutAnswer(m.ContextTokens), cmp.Or(m.PromptTokens, m.ContextTokens))
}

// listing returns the endpoint's entry of its model in the provider's list; the zero value if the
// provider has none, does not answer in listWait, or has not answered lately.
func (f *Facts) listing(ctx context.Context, e *Endpoint) model.Info {
	at := e.spot(e.Model)
	f.mu.Lock()
	asked := time.Since(f.listed[at]) < listAgain
	f.mu.Unlock()
	if asked {
		return model.Info{}
	}
	ctx, cancel := context.WithTimeout(ctx, listWait)
	defer cancel()
	list, err := e.client.Models(ctx, e.At)
	for _, info := range list {
		if info.ID == at.model {
			return info
		}
	}
	if err != nil {
		f.log.Debug("the list of models was not read for the window of a model", "server", model.PublicAddress(e.At.BaseURL), "model", at.model, "err", err)
		if failed := model.ErrorOf(err); ctx.Err() != nil || failed != nil && unreached(failed) {
			f.silent(at)
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.listed = roomFor(at, f.listed)
		f.listed[at] = time.Now()
	}
	return model.Info{}
}

// other is what the catalogue knows about a model of the endpoint other than the one that it was
// resolved for: a session may change its model during a run, and an agent has its own. If the user's file cannot be
// read, nothing is known about it; ok is false for the model of the endpoint itself.
func (e *Endpoint) other(name string) (found known.Found, ok bool) {
	if name == e.Model || e.At.WireModel != "" {
		return found, false
	}
	found, err := e.facts.catalogue.Find(e.vendor, name)
	if err != nil {
		e.facts.log.Debug("nothing is known about a model, because the user's file cannot be read", "model", name, "err", err)
	}
	return found, true
}
