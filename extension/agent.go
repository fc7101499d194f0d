package extension

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"time"
)

// Agent answers one request. It writes the answer to w and returns when the answer is
// complete. The handler that runs it, see [NewHandler], sends the beginning and the end of
// the answer.
//
// ctx ends when the client disconnects, when the time limit is reached, when the context of
// the HTTP request ends (as on a server that shuts down), and when the agent has returned.
// r.Token is the user's token, for this request only.
//
// If the agent returns an error, the user sees its text as one of copilot_errors, after the
// text written before. An error after the end of ctx is shown with the code "stopped" and
// without its text. A panic is logged, and the user sees that the agent failed.
type Agent func(ctx context.Context, r *Request, w *Writer) error

// Skill is one function of a skillset: a model on the platform calls it with arguments and
// reads the text that it returns. args is a JSON object that fits the schema registered with
// the platform, {} if the model gave no arguments. h is the header of the HTTP request; its
// X-GitHub-Token is the user's token.
//
// The text of an error is sent to the model too; it should say what to do instead.
type Skill func(ctx context.Context, args json.RawMessage, h http.Header) (string, error)

// HandlerOptions configures [NewHandler] and [NewSkillHandler]. The zero value accepts only
// requests that GitHub signed. GitHub stopped calling agents in November 2025, so set Keys
// to the keys of the platform that calls the agent, or set Unsigned.
type HandlerOptions struct {
	// Keys are the platform's public keys. Default: those that GitHub publishes, see
	// [FetchKeys].
	Keys KeySource
	// Unsigned accepts requests without checking their signatures. Use it for a handler that
	// only programs on the same machine can reach, or one behind a proxy that authenticates
	// its clients. Because a browser on this machine can reach it too, requests that a web
	// page of another origin causes are refused, and those that were not sent to this machine
	// by name (localhost, 127.0.0.1, [::1]) or to one of Hosts. Without Hosts, connections of other
	// machines are refused, too.
	Unsigned bool
	// Hosts are other host names, without ports, by which an Unsigned handler is called, such
	// as that of its proxy. With any, the handler answers connections of other machines: let nobody
	// but the proxy reach it. Default: none. Without effect unless Unsigned is set.
	Hosts []string
	// Slug and ClientID name this agent; requests for another agent are refused. A signature
	// does not say which agent a request is for, so without them the operator of one agent
	// could forward its requests to another. Default: requests for any agent are accepted.
	// Skill handlers do not use them.
	Slug, ClientID string
	// Replays is the number of recent requests that are remembered, so that a copy of one is
	// refused. Default 0: none, because a platform may resend a request with the same
	// signature if it got no response. Without effect if Unsigned is set.
	Replays int

	// MaxBody bounds the body of a request, in bytes. Default 10 MiB.
	MaxBody int64
	// MaxBodies bounds the bodies of all requests that arrive or are answered at the same time, in bytes; of one of more
	// than 1 MiB, the rest counts twice, for what is decoded of it. 64 KiB of each do not count. One may have up to three
	// times as much as is left after that, so something is left for the next one. A body without room is refused with 503.
	// Default 64 MiB, or four times MaxBody if that is more.
	MaxBodies int64
	// ReadTimeout bounds the time to receive a request. Default 30 s.
	ReadTimeout time.Duration
	// Heartbeat is the longest pause in an answer: after it, a comment is sent, so that
	// proxies and clients do not close the connection. Default 12 s; negative: no comments.
	Heartbeat time.Duration
	// Timeout bounds the time of an answer. When it is reached, the agent's context ends,
	// and the user sees that the answer took too long. Default 10 minutes; negative: no
	// limit. Clients of GitHub's platform used to give up after about 60 s.
	Timeout time.Duration

	// OneEvent sends at most one named event per answer: the confirmation, otherwise the
	// errors, otherwise the references. gh-debug-cli stops reading at a second one. Default:
	// one event for each kind that the agent wrote.
	OneEvent bool
	// Greeting is the text of the response to GET: GitHub sends a browser there after its
	// user has authorized the agent. Default: one line that says that this is an agent.
	Greeting string
	// Logger gets what users do not see: refused requests, panics and errors. It never gets
	// tokens, signatures or the text of messages. Default [slog.Default].
	Logger *slog.Logger
}

// The defaults of [HandlerOptions]. Source: docs/extensions.md; the sizes and times are ones
// that known clients of the platform accept.
const (
	defaultMaxBody     = 10 << 20
	defaultMaxBodies   = 64 << 20
	defaultReadTimeout = 30 * time.Second
	defaultHeartbeat   = 12 * time.Second
	defaultTimeout     = 10 * time.Minute
	defaultGreeting    = "This is an agent of GitHub Copilot Extensions. You can close this page and go back to your chat."
)

// filled returns o with defaults in place of zero values.
func (o HandlerOptions) filled() HandlerOptions {
	if o.Keys == nil && !o.Unsigned {
		o.Keys = FetchKeys("", nil)
	}
	if o.MaxBody <= 0 {
		o.MaxBody = defaultMaxBody
	}
	if o.MaxBodies <= 0 {
		o.MaxBodies = max(defaultMaxBodies, 4*o.MaxBody)
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
