package web

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/gate"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
)

// Options configures a [Door]. Sessions and Key are required.
type Options struct {
	Sessions *registry.Registry
	// Key signs confirmations; see [LoadKey].
	Key []byte
	// Dir is the working directory of new sessions. Default the registry's.
	Dir string
	// Keys are the public keys that verify requests to the agent. nil: requests need no
	// signature, and only requests from this machine are answered.
	Keys extension.KeySource
	// Slug is the agent's name on the platform; requests for another are refused.
	// Default: any name.
	Slug string
	// Token is the API key that OpenAI clients must send. Empty: only requests from
	// this machine are answered.
	Token string
	// Loopback says that other machines cannot reach the listener. A request counts as
	// local only if its Host is this machine, too.
	Loopback bool
	// Answers bounds the answers under way at once; one request more is refused.
	// Default 32.
	Answers int
	// Kept bounds the sessions that stay in memory between requests. Default 64.
	Kept int
	// Logger gets diagnostics, without messages of users and without tokens. Default:
	// they are dropped.
	Logger *slog.Logger
}

// answerTime bounds one answer of the agent, because a run that nobody stops must end.
// Agents that work take minutes.
const answerTime = time.Hour

// replays is how many signed requests are remembered, so that a repeated one is
// refused. They are forgotten when the process ends.
const replays = 10_000

// Door is an [http.Handler] that answers with the sessions of a registry. It is safe
// for concurrent use.
type Door struct {
	opts    Options
	gate    gate.Gate[*registry.Registry] // of OpenAI clients; requests to the agent are signed
	mux     *http.ServeMux
	answers chan struct{} // holds one for each answer under way

	life  context.Context // of the runs for OpenAI clients; ends with Listen or Close
	end   context.CancelCauseFunc
	runs  sync.WaitGroup // those runs; Close waits
	keyed keyedRuns

	mu   sync.Mutex // guards the rest; never held across a call
	open map[string]*openSession
}

// New returns a Door. Call Close when no request is under way any more.
func New(o Options) *Door {
	if o.Answers <= 0 {
		o.Answers = 32
	}
	if o.Kept <= 0 {
		o.Kept = 64
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	d := &Door{opts: o, gate: gate.One(o.Token, o.Sessions), mux: http.NewServeMux(), answers: make(chan struct{}, o.Answers), open: map[string]*openSession{}}
	d.life, d.end = context.WithCancelCause(context.Background())
	agent := extension.NewHandler(d.answer, extension.HandlerOptions{
		Keys: o.Keys, Unsigned: o.Keys == nil, Slug: o.Slug, Replays: replays, Timeout: answerTime, Logger: o.Logger,
		Greeting: "This is an agent of Sidestick. You can close this page and go back to your chat.",
	})
	d.mux.Handle("/{$}", d.guard(agent, o.Keys != nil, plainRefusal))
	d.mux.Handle("POST /v1/chat/completions", d.guard(d.requireToken(http.HandlerFunc(d.chat)), d.gate.Closed(), chatRefusal))
	d.mux.Handle("GET /v1/models", d.guard(d.requireToken(http.HandlerFunc(d.models)), d.gate.Closed(), chatRefusal))
	d.mux.Handle("GET /v1/models/{id...}", d.guard(d.requireToken(http.HandlerFunc(d.model)), d.gate.Closed(), chatRefusal))
	d.mux.Handle("/v1/", http.HandlerFunc(unknownPath))
	return d
}

// readTime bounds how long a request's body takes to arrive.
const readTime = 30 * time.Second

// ServeHTTP implements [http.Handler].
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// The server removes this deadline once the body is read. If a request is refused,
	// the server reads the rest of its body before it sends the answer, and must not
	// wait for that for ever.
	if r.Body != http.NoBody { // without a body nothing would remove it; the call fails only without a connection, as in tests
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(readTime))
	}
	d.mux.ServeHTTP(w, r)
}

// inTurn runs f, or refuses to if too many answers are under way. A failure of f after
// ctx has ended is reported as the cause of that end, whichever step of f has failed.
func (d *Door) inTurn(ctx context.Context, f func() error) error {
	select {
	case d.answers <- struct{}{}:
		defer func() { <-d.answers }()
	default:
		return refused("overloaded", "The agent is answering as many requests as it may at once. Ask again in a moment.")
	}
	err := f()
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
