package web

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/session"
)

// Options configures a [Door]. Sessions and Key are required.
type Options struct {
	Sessions *session.Registry
	// Key seals confirmations; see [LoadKey].
	Key []byte
	// Dir is the working directory of new sessions. Default the registry's.
	Dir string
	// Keys are those that requests to the agent are signed with. nil: they need no
	// signature, and only those of this machine are taken.
	Keys extension.KeySource
	// Slug is the agent's name on the platform; requests for another are refused.
	// Default: any name.
	Slug string
	// Token is what OpenAI clients must bring. Empty: only those of this machine get in.
	Token string
	// Loopback says that the listener cannot be reached by other machines. A request
	// counts as one of this machine only if it also names this machine as its host.
	Loopback bool
	// Answers is how many may be under way at once. Default 32.
	Answers int
	// Kept is how many sessions stay in memory between requests. Default 64.
	Kept int
	// Logger is where diagnostics go; nothing that was said, and no token. Default
	// nowhere.
	Logger *slog.Logger
}

// answerTime bounds an answer: a run that nobody stops must end some day. Agents that
// work take minutes; that the clients of old gave up after one is theirs.
const answerTime = time.Hour

// replays is how many signed requests are remembered, so that none of the last ones is
// answered twice. They are forgotten with the process.
const replays = 10_000

// Door is an [http.Handler] on a set of sessions. It is safe for concurrent use.
type Door struct {
	opts    Options
	mux     *http.ServeMux
	answers chan struct{} // holds one for each answer under way

	life  context.Context // of the runs for OpenAI clients; ends with Listen or Close
	end   context.CancelCauseFunc
	runs  sync.WaitGroup // those runs; Close waits
	keyed keyedRuns

	mu    sync.Mutex // guards the rest; never held across a call
	seats map[string]*seat
}

// New returns a Door. It starts nothing; call Close when no request is under way any
// more.
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
	d := &Door{opts: o, mux: http.NewServeMux(), answers: make(chan struct{}, o.Answers), seats: map[string]*seat{}}
	d.life, d.end = context.WithCancelCause(context.Background())
	agent := extension.NewHandler(d.answer, extension.HandlerOptions{
		Keys: o.Keys, Unsigned: o.Keys == nil, Slug: o.Slug, Replays: replays, Timeout: answerTime, Logger: o.Logger,
		Greeting: "This is an agent of Sidestick. You can close this page and go back to your chat.",
	})
	d.mux.Handle("/{$}", d.guard(agent, o.Keys != nil, plainRefusal))
	d.mux.Handle("POST /v1/chat/completions", d.guard(d.tokened(http.HandlerFunc(d.chat)), o.Token != "", chatRefusal))
	d.mux.Handle("GET /v1/models", d.guard(d.tokened(http.HandlerFunc(d.models)), o.Token != "", chatRefusal))
	d.mux.Handle("GET /v1/models/{id...}", d.guard(d.tokened(http.HandlerFunc(d.model)), o.Token != "", chatRefusal))
	d.mux.Handle("/v1/", http.HandlerFunc(unknownPath))
	return d
}

// readTime bounds how long a request's body takes to arrive.
const readTime = 30 * time.Second

// ServeHTTP implements [http.Handler].
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// The server lifts this once the body is read. Of a request that is refused it reads
	// the body before it sends the answer, and should not wait for that for ever.
	if r.Body != http.NoBody { // else nobody would lift it; it fails where there is no connection
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(readTime))
	}
	d.mux.ServeHTTP(w, r)
}

// inTurn runs f if not too many answers are under way.
func (d *Door) inTurn(f func() error) error {
	select {
	case d.answers <- struct{}{}:
		defer func() { <-d.answers }()
		return f()
	default:
		return refused("overloaded", "The agent is answering as many people as it can. Ask again in a moment.")
	}
}
