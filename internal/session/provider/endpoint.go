package provider

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/known"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// DefaultContextTokens is assumed for a model whose window is not known.
// Source: what the Copilot API reports for its default model.
const DefaultContextTokens = 128_000

// Endpoint is where the calls of one run go, as [Models.Resolve] has found it. It is copied as a value. Its
// methods are safe for concurrent use, and those with the name of a model know others at the same place, too: a
// session may change its model during a run, and an agent has its own.
type Endpoint struct {
	// At is the address, with the credentials and the dialect.
	At model.Endpoint
	// Model is the model that it was resolved for.
	Model string
	// Known are the efforts of reasoning that the catalogue or the user's file names for it; nil if they name none.
	Known []string

	client        *model.Client
	facts         *Facts               // nil for agents
	vendor        string               // as package known names the provider; "" if it is not known
	contextTokens int64                // of a prompt, before calls have shown more; 0 if it has no limit
	wholeTokens   int64                // of a prompt and its answer; 0: contextTokens is all that is known
	limitFrom     string               // the source of contextTokens, in words
	assumed       bool                 // contextTokens is a guess
	open          bool                 // what the server says about its window counts
	requested     bool                 // contextTokens is what the requests ask for; the server may have less
	fixed         bool                 // contextTokens is what the client says
	maxOutput     int                  // the longest answer, in tokens; 0 if that is not known
	efforts       []string             // of reasoning, that the provider's list names; nil if it names none
	vision        bool                 // it can see pictures
	documents     *bool                // it can read documents; nil if that depends on the dialect alone
	price         *known.Price         // nil if it is not known
	displayName   string               // for users; "" if it has none but Model
	multiplier    *float64             // what a call costs at the Copilot API; nil if that is not known
	situate       func(*model.Request) // for recordings
}

// Source describes the endpoint for the report of a call.
func (e Endpoint) Source() turn.Source {
	if e.IsExtension() {
		return turn.Source{}
	}
	return turn.Source{API: apiOf(&e.At), Own: !e.At.Copilot, Type: typeOf(&e.At), DisplayName: e.displayName, Multiplier: e.multiplier}
}

// Stream makes a call. onDelta gets the pieces of the answer in order, before Stream returns. An error is that
// of the provider, as a [model.Error], or one of the user's file models.json.
func (e Endpoint) Stream(ctx context.Context, req model.Request, onDelta func(model.Delta)) (*model.Response, error) {
	if e.situate != nil {
		e.situate(&req)
	}
	e.At.LongestAnswer = e.bound(req)
	if err := e.configure(req.Model); err != nil {
		return nil, err
	}
	e.capped(&req)
	resp, err := e.client.Stream(ctx, e.At, req, onDelta)
	if e.facts != nil {
		e.facts.learn(e.spot(req.Model), resp, err)
	}
	if err == nil {
		e.priced(req.Model, resp)
	}
	return resp, err
}

// Choice is the model that a run calls, as the session had it when the run began.
type Choice struct {
	Provider Provider
	Model    string // "": that of the provider
	// Override are the limits that the client has set for the model; nil: none.
	Override *wire.Capabilities
	// Remote says that a client on another machine may have named the model.
	Remote bool
	// Patient says that the caller waits for what a server on another machine says about its window.
	Patient bool
	// Situate says to which conversation a request belongs, for recordings. It is optional.
	Situate func(*model.Request)
	// Refused is why this model must not be called; nil if it may.
	Refused error
	// Allows says why a client does not let a model be called; nil: all may.
	Allows func(model string) error
}

// ExtensionOf is the Copilot Extensions agent that is called, "" if it is a model.
func (c *Choice) ExtensionOf() string { return ExtensionOf(c.Model, c.Provider) }

// Resolve finds the model of a run, which the client must allow. It is what [Models.resolve] returns.
func (m *Models) Resolve(ctx context.Context, c Choice) (Endpoint, error) {
	if c.Allows == nil {
		return m.resolve(ctx, c)
	}
	named := c.Model != "" && c.Model != ModelAuto
	if named {
		if err := c.Allows(c.Model); err != nil {
			return Endpoint{}, err
		}
	}
	e, err := m.resolve(ctx, c)
	if err == nil && !named {
		err = c.Allows(e.Model)
	}
	return e, err
}

// resolve finds the model of a run. The provider is asked for its list only if
// no model is named, if it is the Copilot API, whose list says how large
// the window is, or if nothing else says that; the answer is cached, and missing it is no failure.
func (m *Models) resolve(ctx context.Context, c Choice) (Endpoint, error) {
	if c.Refused != nil {
		return Endpoint{}, c.Refused
	}
	if e, ok := m.extensionEndpoint(c); ok {
		return e, nil
	}
	if c.Provider.Missing != nil {
		return Endpoint{}, c.Provider.Missing
	}
	c.Provider = c.Provider.Located(ctx)
	e := Endpoint{client: m.client, At: c.Provider.Endpoint, Model: cmp.Or(c.Model, c.Provider.Model), vision: true, facts: m.facts, situate: c.Situate, displayName: c.Provider.DisplayName}
	if e.Model == ModelAuto && !m.listsAuto(ctx, e.At) {
		e.Model = c.Provider.ordinaryModel()
	}
	if e.Model != "" && !e.At.Copilot {
		err := m.facts.describe(ctx, c, &e, model.Info{})
		return e.limited(c), err
	}
	ask := m.client.Models
	if e.Model == "" { // there is no run without the list
		ask = m.client.AwaitModels
	}
	list, err := ask(ctx, e.At)
	if e.Model == "" {
		if e.Model, err = first(list, err); err != nil {
			return Endpoint{}, err
		}
	}
	var entry model.Info
	for _, info := range list {
		if info.ID == e.Model {
			entry = info
			e.efforts = info.ReasoningEfforts
			if info.Name != info.ID {
				e.displayName = info.Name
			}
			e.At.Dialect = listedDialect(info.Endpoints)
			e.At.WebSocket = e.At.Dialect == responses.Name && m.overWebSocket(c.Provider, info.Endpoints)
			e.At.OrHTTP = true
			e.multiplier = multiplier(info.Billing)
			e.vision = info.Vision || info.MaxPrompt+info.MaxContext+info.MaxOutput == 0 // the list has no limits of models
		}
	}
	err = m.facts.describe(ctx, c, &e, entry)
	return e.limited(c), err
}

// multiplier is what a call costs, by the provider's list; nil if the list does not say.
func multiplier(billing json.RawMessage) *float64 {
	var b struct {
		Multiplier *float64 `json:"multiplier"`
	}
	if json.Unmarshal(billing, &b) != nil {
		return nil
	}
	return b.Multiplier
}

// ModelAuto is the name by which programs leave the choice of the model to the runtime. The
// SDKs' samples use it. Only a provider that lists a model of this name has one.
const ModelAuto = "auto"

// listsAuto reports whether a provider lists a model called "auto". Its list is not asked for
// if every call goes to one model anyway. A list that cannot be read has no such model.
func (m *Models) listsAuto(ctx context.Context, e model.Endpoint) bool {
	if e.WireModel != "" {
		return false
	}
	list, _ := m.client.Models(ctx, e)
	return slices.ContainsFunc(list, func(i model.Info) bool { return i.ID == ModelAuto })
}

// ordinaryModel is the model of a provider for sessions that name none, "" if that is the
// first of its list.
func (p Provider) ordinaryModel() string {
	if p.Model != ModelAuto {
		return cmp.Or(p.Model, p.Endpoint.WireModel)
	}
	return p.Endpoint.WireModel
}

// limited applies a session's own idea of the model's limits.
func (e Endpoint) limited(c Choice) Endpoint {
	if o := c.Override; o != nil && o.Supports != nil && o.Supports.Vision != nil {
		e.vision = *o.Supports.Vision
	}
	if c.Override == nil || c.Override.Limits == nil {
		return e
	}
	if n := cmp.Or(c.Override.Limits.MaxPromptTokens, c.Override.Limits.MaxContextWindowTokens); n != nil {
		e.contextTokens, e.assumed, e.fixed, e.open, e.requested, e.limitFrom = *n, false, true, false, false, windowOfClient
		e.wholeTokens = 0
		if w := c.Override.Limits.MaxContextWindowTokens; w != nil {
			e.wholeTokens = *w
		}
	}
	if n := c.Override.Limits.MaxOutputTokens; n != nil {
		e.At.MaxOutputTokens = int(*n)
	}
	return e
}

func first(list []model.Info, err error) (string, error) {
	const hint = "name a model: in the session's config, with -m, or in SIDESTICK_MODEL"
	if err != nil {
		return "", &fault.Error{Op: "session", Kind: fault.KindOf(err), Hint: hint, Err: err}
	}
	if len(list) == 0 {
		return "", &fault.Error{Op: "session", Kind: fault.NotFound, Hint: hint, Err: errors.New("no model is named, and the provider lists none")}
	}
	return list[0].ID, nil
}
