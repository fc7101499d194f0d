package session

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/model/known"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// defaultContextTokens is assumed for a model whose window is not known.
// Source: what the Copilot API reports for its default model.
const defaultContextTokens = 128_000

// provider returns where a session's model calls go: what the client brings,
// else what the process was configured with, under the client's GitHub token if
// it gave one.
func (r *Registry) provider(cfg wire.Config) Provider {
	p := cfg.Provider
	if p == nil {
		own := r.opts.Provider
		if cfg.GitHubToken != "" {
			own = r.WithGitHubToken(cfg.GitHubToken, model.Owner(cfg.TokenBy))
		}
		own.Endpoint.UserAgent = UserAgent(r.opts.Version, cfg.ClientName)
		own.NoWebSockets = cfg.Capi.WebSockets != nil && !*cfg.Capi.WebSockets
		return own
	}
	if p.Type == providerExtension {
		return Provider{Model: extensions.ModelName(p.BaseURL), Endpoint: model.Endpoint{
			Dialect: extensions.Name, BaseURL: p.BaseURL, BearerToken: p.BearerToken, Headers: p.Headers, PublicOnly: cfg.Remote, Owner: model.Owner(cfg.By), AddressOwner: model.Owner(cfg.By),
		}}
	}
	return fromRecording(p, Provider{
		Model: p.ModelID,
		Endpoint: model.Endpoint{
			Owner: model.Owner(cfg.By), AddressOwner: model.Owner(cfg.By),
			Dialect: dialectOf(p), BaseURL: p.BaseURL, APIKey: p.APIKey, BearerToken: p.BearerToken, Headers: p.Headers,
			WireModel: cmp.Or(p.WireModel, p.ModelID), UserAgent: UserAgent(r.opts.Version, cfg.ClientName),
			MaxPromptTokens: p.MaxPromptTokens, MaxOutputTokens: p.MaxOutputTokens,
			WebSocket: p.Transport == overWebSockets,
			Azure:     model.Azure{Resource: p.Type == providerAzure, APIVersion: p.Azure.APIVersion},
			Keys:      r.keysFor(p, cfg.Remote),
		},
		ContextTokens: windowOf(p), WindowTokens: int64(p.MaxWindowTokens), ContextFrom: windowFrom(p),
	})
}

// keysFor returns what finds the key of a client's provider, nil if the client brings credentials,
// or is on another machine.
func (r *Registry) keysFor(p *wire.Provider, remote bool) func(context.Context, string) (string, error) {
	if r.opts.KeysAt == nil || remote || p.APIKey != "" || p.BearerToken != "" || p.HasTokenSource || len(p.Headers) > 0 {
		return nil
	}
	return r.opts.KeysAt(p.BaseURL)
}

// WithGitHubToken returns the provider of the process for a client that brings a GitHub token:
// the Copilot API with that token, unless the process has another provider. owner has brought the token.
func (r *Registry) WithGitHubToken(token string, owner model.Owner) Provider {
	p := r.opts.Provider
	if p.Missing != nil && r.opts.Copilot.Endpoint.Copilot {
		p = r.opts.Copilot
	}
	if p.Endpoint.Copilot {
		p.Endpoint.BearerToken, p.Endpoint.Owner = token, owner
	}
	return p
}

// UserAgent names the client, if it has a name, this program, and the protocol.
func UserAgent(version, client string) string {
	ua := "sidestick/" + version + " (works with the GitHub Copilot SDKs)"
	if client != "" {
		ua = client + " " + ua
	}
	return ua
}

// checkProvider refuses what this version cannot call, when the session is
// configured rather than at its first message.
func checkProvider(p *wire.Provider, remote bool, invalid func(string, ...any) error) error {
	if p == nil {
		return nil
	}
	if p.Type == providerExtension {
		return checkExtension(p, remote, invalid)
	}
	switch {
	case !knownType(p.Type):
		return invalid("provider type %q is not known; there are %q, %q, %q, %q, %q, %q, and %q for Copilot Extensions agents",
			p.Type, providerOpenAI, providerAzure, providerAnthropic, providerGemini, providerBedrock, providerOllama, providerExtension)
	case p.Transport != "" && p.Transport != "http" && p.Transport != overWebSockets:
		return invalid("provider transport %q is not known; use %q or %q", p.Transport, "http", overWebSockets)
	case p.Transport == overWebSockets && dialectOf(p) != responses.Name:
		return invalid("provider transport %q needs wireApi %q", overWebSockets, wireResponses)
	case p.Azure.APIVersion != "" && p.Type != providerAzure:
		return invalid("azure.apiVersion is for providers of the type %q; this one has the type %q", providerAzure, cmp.Or(p.Type, providerOpenAI))
	case p.WireAPI != "" && p.WireAPI != wireCompletions && p.WireAPI != wireResponses:
		return invalid("provider wireApi %q is not known; use %q or %q", p.WireAPI, wireCompletions, wireResponses)
	}
	return checkAddress(p, invalid)
}

// checkAddress refuses a provider without a usable base URL.
func checkAddress(p *wire.Provider, invalid func(string, ...any) error) error {
	u, err := url.Parse(p.BaseURL)
	switch {
	case p.BaseURL == "":
		return invalid("the provider has no baseUrl")
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return invalid("the provider's baseUrl %q is not an http or https URL", p.BaseURL)
	}
	return nil
}

// turnEndpoint is where the calls of one run go.
type turnEndpoint struct {
	client        *model.Client
	endpoint      model.Endpoint
	model         string
	named         bool                 // the session names its model, and may name another any time
	facts         *facts               // nil for agents
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
	known         []string             // efforts that the catalogue or the user's file names; nil if they name none
	vision        bool                 // it can see pictures
	documents     *bool                // it can read documents; nil if that depends on the dialect alone
	price         *known.Price         // nil if it is not known
	multiplier    *float64             // what a call costs at the Copilot API; nil if that is not known
	situate       func(*model.Request) // for recordings
}

// source describes the endpoint for the report of a call.
func (e turnEndpoint) source() turn.Source {
	if e.isExtension() {
		return turn.Source{}
	}
	return turn.Source{API: apiOf(&e.endpoint), Own: !e.endpoint.Copilot, Multiplier: e.multiplier}
}

func (e turnEndpoint) Stream(ctx context.Context, req model.Request, onDelta func(model.Delta)) (*model.Response, error) {
	if e.situate != nil {
		e.situate(&req)
	}
	e.endpoint.LongestAnswer = e.bound(req)
	if err := e.configure(req.Model); err != nil {
		return nil, err
	}
	e.capped(&req)
	resp, err := e.client.Stream(ctx, e.endpoint, req, onDelta)
	if e.facts != nil {
		e.facts.learn(e.spot(req.Model), resp, err)
	}
	if err == nil {
		e.priced(req.Model, resp)
	}
	return resp, err
}

// modelChoice decides which model a run calls, as the session had it when the run began.
type modelChoice struct {
	provider Provider
	model    string
	override *wire.Capabilities
	remote   bool                 // a client on another machine may have named the model
	patient  bool                 // the caller waits for what a server on another machine says about its window
	situate  func(*model.Request) // says to which conversation a request belongs, for recordings
	refused  error                // why this model must not be called; nil if it may
}

// resolve finds the model of a run. The provider is asked for its list only if
// no model is named, if it is the Copilot API, whose list says how large
// the window is, or if nothing else says that; the answer is cached, and missing it is no failure.
func (r *Registry) resolve(ctx context.Context, c modelChoice) (turnEndpoint, error) {
	if c.refused != nil {
		return turnEndpoint{}, c.refused
	}
	if e, ok := r.extensionEndpoint(c); ok {
		return e, nil
	}
	if c.provider.Missing != nil {
		return turnEndpoint{}, c.provider.Missing
	}
	c.provider = c.provider.Located(ctx)
	e := turnEndpoint{client: r.opts.Model, endpoint: c.provider.Endpoint, model: cmp.Or(c.model, c.provider.Model), named: true, vision: true, facts: &r.facts, situate: c.situate}
	if e.model == ModelAuto && !r.listsAuto(ctx, e.endpoint) {
		e.model = c.provider.ordinaryModel()
	}
	if e.model != "" && !e.endpoint.Copilot {
		err := r.facts.describe(ctx, c, &e, model.Info{})
		return e.limited(c), err
	}
	ask := r.opts.Model.Models
	if e.model == "" { // there is no run without the list
		ask = r.opts.Model.AwaitModels
	}
	list, err := ask(ctx, e.endpoint)
	if e.model == "" {
		if e.model, err = first(list, err); err != nil {
			return turnEndpoint{}, err
		}
	}
	var entry model.Info
	for _, info := range list {
		if info.ID == e.model {
			entry = info
			e.efforts = info.ReasoningEfforts
			e.endpoint.Dialect = listedDialect(info.Endpoints)
			e.endpoint.WebSocket = e.endpoint.Dialect == responses.Name && r.overWebSocket(c.provider, info.Endpoints)
			e.endpoint.OrHTTP = true
			e.multiplier = multiplier(info.Billing)
			e.vision = info.Vision || info.MaxPrompt+info.MaxContext+info.MaxOutput == 0 // the list has no limits of models
		}
	}
	err = r.facts.describe(ctx, c, &e, entry)
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
func (r *Registry) listsAuto(ctx context.Context, e model.Endpoint) bool {
	if e.WireModel != "" {
		return false
	}
	list, _ := r.opts.Model.Models(ctx, e)
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
func (e turnEndpoint) limited(c modelChoice) turnEndpoint {
	if o := c.override; o != nil && o.Supports != nil && o.Supports.Vision != nil {
		e.vision = *o.Supports.Vision
	}
	if c.override == nil || c.override.Limits == nil {
		return e
	}
	if n := cmp.Or(c.override.Limits.MaxPromptTokens, c.override.Limits.MaxContextWindowTokens); n != nil {
		e.contextTokens, e.assumed, e.fixed, e.open, e.requested, e.limitFrom = *n, false, true, false, false, windowOfClient
		e.wholeTokens = 0
		if w := c.override.Limits.MaxContextWindowTokens; w != nil {
			e.wholeTokens = *w
		}
	}
	if n := c.override.Limits.MaxOutputTokens; n != nil {
		e.endpoint.MaxOutputTokens = int(*n)
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

func modelError(err error) *model.Error {
	var e *model.Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}
