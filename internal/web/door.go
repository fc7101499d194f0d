package web

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/gate"
	"github.com/sidestick-dev/sidestick/internal/quota"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
)

// Options configures a [Door]. Sessions and Key are required.
type Options struct {
	Sessions *registry.Registry
	// Key signs confirmations; see [LoadKey].
	Key []byte
	// Dir is the working directory of new sessions. Default the registry's.
	Dir string
	// Keys are the public keys that verify requests to the agent. nil: requests need the token in place of a
	// signature, and only requests from this machine are answered.
	Keys extension.KeySource
	// Slug is the agent's name on the platform; requests for another are refused.
	// Default: any name.
	Slug string
	// Token is the API key that OpenAI clients must send, and programs that send the agent requests without a signature.
	// Empty: they need none, and only requests from this machine are answered.
	Token string
	// Loopback says that other machines cannot reach the listener. A request counts as
	// local only if its Host is this machine, too.
	Loopback bool
	// Answers bounds the answers under way at once; one request more is refused.
	// Default 32.
	Answers int
	// Files is how many files the door may have open. Half of them, at most 256 or twice Answers and at least 16, bounds
	// its connections: when there are so many, the one that has been silent longest and has no request that has shown the
	// token or is being answered makes room for the next one; if there is none, that is refused. Default 1024.
	Files int
	// Kept bounds the sessions that stay in memory between requests. Default 64, or a quarter of Files.
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
	gate    gate.Gate[*registry.Registry] // of all requests but signed ones
	mux     *http.ServeMux
	answers chan struct{} // holds one for each answer under way
	guests  guests
	bodies  *quota.Pool // of OpenAI clients, in bytes; the handler of the agent has its own

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
	if o.Files <= 0 {
		o.Files = 1024
	}
	if o.Kept <= 0 {
		o.Kept = max(min(64, o.Files/4), 1)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	d := &Door{opts: o, gate: gate.One(o.Token, o.Sessions), mux: http.NewServeMux(), answers: make(chan struct{}, o.Answers), open: map[string]*openSession{}}
	d.guests.max, d.bodies = max(min(o.Files/2, max(256, 2*o.Answers)), 16), quota.New(maxBodies)
	d.life, d.end = context.WithCancelCause(context.Background())
	agent := extension.NewHandler(d.answer, extension.HandlerOptions{
		Keys: o.Keys, Unsigned: o.Keys == nil, Slug: o.Slug, Replays: replays, Timeout: answerTime, Logger: o.Logger,
		Greeting: "This is an agent of Sidestick. You can close this page and go back to your chat.",
	})
	if o.Keys == nil {
		agent = d.agentByToken(agent)
	}
	d.mux.Handle("/{$}", d.guard(agent, o.Keys != nil, plainRefusal))
	for pattern, f := range map[string]http.HandlerFunc{"POST /v1/chat/completions": d.chat, "GET /v1/models": d.models, "GET /v1/models/{id...}": d.model} {
		d.mux.Handle(pattern, d.guard(d.requireToken(f, bearer, "send it as the API key", chatRefusal), d.gate.Closed(), chatRefusal))
	}
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
	defer d.guests.asks(r.Context())()
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
