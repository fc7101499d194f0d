package extension

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"time"
)

// Agent answers one request by writing to w, and returns when the answer is whole.
// The [NewHandler] that runs it begins the answer and ends it.
//
// ctx ends when the client has left, when the time limit is over, when the context of the
// HTTP request ends, as on a server that shuts down, and when the agent has returned.
// r.Token is the user's, for this turn only.
//
// The text of an error is shown to the user as one of copilot_errors, after what was
// written before. An error after the end of ctx is shown as the code "stopped", without
// its text. A panic is logged, and the user sees that the agent failed.
type Agent func(ctx context.Context, r *Request, w *Writer) error

// Skill is one function of a skillset: a model on the platform calls it with
// arguments, a JSON object that fits the schema the platform was given, and reads
// the text it returns. args is {} if the model gave none. h is the header of the
// HTTP request; X-GitHub-Token in it is the person's token.
//
// The text of an error is for the model too: it should say what to do otherwise.
type Skill func(ctx context.Context, args json.RawMessage, h http.Header) (string, error)

// HandlerOptions configures [NewHandler] and [NewSkillHandler]. The zero value accepts
// requests that GitHub signed, which GitHub stopped sending in November 2025. So set
// Keys to the keys of the platform that calls the agent, or set Unsigned.
type HandlerOptions struct {
	// Keys are the platform's. Default: those that GitHub publishes, see [FetchKeys].
	Keys KeySource
	// Unsigned answers requests without looking at their signature. For a handler that
	// only the machine itself can reach, or one that something else protects.
	Unsigned bool
	// Slug and ClientID are the agent's own, and requests for any other are refused.
	// A signature says that the platform has sent a request, not to whom: whoever runs
	// another agent could send on what he got. Default: any. Skills are not told.
	Slug, ClientID string
	// Replays is how many requests are remembered, to refuse those that come a second
	// time. Default 0, none: a platform may send a request again, with its signature,
	// if it got no answer. Not with Unsigned.
	Replays int

	// MaxBody bounds a request, in bytes. Default 10 MiB.
	MaxBody int64
	// ReadTimeout bounds how long a request takes to arrive. Default 30 s.
	ReadTimeout time.Duration
	// Heartbeat is the longest silence of an answer; then a comment is sent, so that
	// nothing on the way takes the connection for dead. Default 12 s; negative: none.
	Heartbeat time.Duration
	// Timeout bounds an answer. Then the agent's context ends, and the person learns
	// that it took too long. Default 10 minutes; negative: none. The clients of old gave
	// up after about 60 s.
	Timeout time.Duration

	// OneEvent keeps an answer to one event beside its text, as gh-debug-cli wants it,
	// which stops at a second: the confirmation, or else the errors, or else the
	// references. Default: each kind that was written.
	OneEvent bool
	// Greeting is what GET answers: a browser is sent to the agent by GET after a person
	// has authorised it. Default: a line that says what this is.
	Greeting string
	// Logger gets what the person is not told: refused requests, panics, errors. It never
	// gets a token, a signature, or what was said. Default [slog.Default].
	Logger *slog.Logger
}

// The defaults of [HandlerOptions]. Source: docs/extensions.md; sizes and times that
// clients of the platform were seen to live with.
const (
	defaultMaxBody     = 10 << 20
	defaultReadTimeout = 30 * time.Second
	defaultHeartbeat   = 12 * time.Second
	defaultTimeout     = 10 * time.Minute
	defaultGreeting    = "This is an agent of GitHub Copilot Extensions. You can close this page and go back to your chat."
)

// filled returns o with its defaults.
func (o HandlerOptions) filled() HandlerOptions {
	if o.Keys == nil && !o.Unsigned {
		o.Keys = FetchKeys("", nil)
	}
	if o.MaxBody <= 0 {
		o.MaxBody = defaultMaxBody
	}
	if o.ReadTimeout <= 0 {
		o.ReadTimeout = defaultReadTimeout
	}
	if o.Heartbeat == 0 {
		o.Heartbeat = defaultHeartbeat
	}
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	if o.Greeting == "" {
		o.Greeting = defaultGreeting
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o
}
