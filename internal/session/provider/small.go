package provider

import (
	"cmp"
	"context"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/known"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/offer"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

const (
	// SmallWindow is the window, in tokens, below which the frames of messages and the answer are taken into
	// account: in a larger one they are part of the 5 % that are always free. Below it models get the small set of
	// tools, too: the full set and the system message take some 5,300 tokens, a sixth of it.
	SmallWindow = 32 << 10
	// leastRest is the shortest answer, in tokens, that a small window has room for.
	leastRest = 256
	// frameBytes is what a message or a tool has in a request besides its text, as [turn.Prompt.Bytes] counts it.
	frameBytes = 32
)

// Sure reports whether the window of a model is known: from the client, the server, a list, the catalogue or an error.
func (e *Endpoint) Sure(name string) bool {
	return e.facts != nil && e.contextTokens > 0 && !e.limits(name).guess
}

// Leaves reports whether requests to a model still leave out what they have left out before: its window is the
// same, or is not known to this process.
func (e *Endpoint) Leaves(l wire.LeftOut, name string) bool {
	unknown := e.assumed && (e.facts == nil || e.facts.of(e.spot(name)).refused == 0) // what a server says may be more than it takes
	return l.Model == name && (unknown || l.Window == e.Window(name))
}

// Narrow reports whether the window of a model, with the answer, is known to be small, and has to have room for the
// answer: what a client says is of the prompt alone.
func (e *Endpoint) Narrow(name string) bool {
	return !e.fixed && e.Sure(name) && e.limits(name).whole < SmallWindow
}

// Room is how many tokens a prompt may have. If the calls set no limit on the answer, an eighth of a small window
// stays free for it.
func (e *Endpoint) Room(window int64) int64 {
	if e.fixed || window >= SmallWindow || e.At.MaxOutputTokens > 0 || e.bounds() {
		return window
	}
	return window - window/8
}

// Tokens estimates how many tokens a request with these messages has. In a small window the frames count.
func (e *Endpoint) Tokens(p *turn.Prompt, messages []model.Message) int64 {
	n := prompt.Measure(messages, p.Request.Tools, p.BytesPerToken).Total()
	if e.Narrow(p.Request.Model) {
		n += int64(frameBytes * float64(len(messages)+len(p.Request.Tools)) / p.BytesPerToken)
	}
	return n
}

// The words of the setting toolSet, besides "auto", with which the window decides.
const ToolSetSmall, ToolSetFull = "small", "full"

// ToolSet is which set of tools a model gets, and what decides that.
type ToolSet struct {
	// Small says that it is the small set.
	Small bool
	// Window is the window in force, in tokens of prompt and answer together, and Source where it is known from. Window is 0
	// if it is only assumed, which is never small.
	Window int64
	Source string
}

// ToolSet is the set of tools that a model of the endpoint gets. setting is
// [ToolSetSmall], [ToolSetFull], or anything else for "auto".
func (e *Endpoint) ToolSet(setting, name string) ToolSet {
	l := e.limits(name)
	if l.guess {
		l.whole = 0
	}
	t := ToolSet{Window: l.whole, Source: l.prompt.Source}
	switch setting {
	case ToolSetSmall:
		t.Small = true
	case ToolSetFull:
	default:
		t.Small = l.whole > 0 && l.whole < SmallWindow
	}
	return t
}

// ToolLimits are the limits for the tools of requests to a model. A provider that has refused a request for its tools
// has named its own; otherwise the catalogue says it.
func (e *Endpoint) ToolLimits(name string) offer.Limits {
	l := offer.Limits{Window: e.limits(name).prompt.Tokens, Most: known.MostTools(e.vendor)}
	if e.At.Copilot && strings.HasPrefix(name, "gpt-") || e.At.Azure.Resource {
		l.Most = known.MostTools("openai")
	}
	if e.facts != nil {
		l.Most = cmp.Or(e.facts.of(e.spot(name)).tools, l.Most)
	}
	return l
}

// ForeseeToolSet returns which set of tools a new session would get for a model of the provider of the process, ""
// for the one that it would use. setting is that of the session. It finds the window as the first turn of a session
// does, so it may ask the provider.
func (m *Models) ForeseeToolSet(ctx context.Context, setting, name string) (ToolSet, error) {
	e, err := m.Resolve(ctx, Choice{Provider: m.home.Default, Model: name, Patient: true})
	if err != nil || e.IsExtension() {
		return ToolSet{}, err
	}
	return e.ToolSet(setting, e.Model), nil
}
