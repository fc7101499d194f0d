package entry

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The reasons why a session takes no message any more: another client has closed it, or another process
// has deleted it.
var (
	ErrEnded   = errors.New("the session was closed; to continue it: sidestick chat --continue")
	ErrDeleted = errors.New("another process has deleted the session; start a new one: sidestick chat")
)

// ErrNoModel is in the chain of the errors of [With] if no model is configured.
var ErrNoModel = errors.New("no model is configured")

// noModel is that error, with what the user can do.
type noModel string

func (n noModel) Error() string      { return string(n) }
func (noModel) Is(target error) bool { return target == ErrNoModel }

// OwnWords implements [cli.Own].
func (noModel) OwnWords() {}

// NoModel is the error of a configuration that has no model. It is a [cli.UsageError].
func NoModel(cfg config.Config) error {
	text := cfg.NoModelHelp()
	if len(cfg.Locals()) == 0 { // the user wants none
		return cli.NewUsageError(noModel(text))
	}
	for _, a := range wiring.StartLocal(cfg) {
		text += "\nOn this machine " + a.Says() + ".\n"
		if a.Command != "" {
			text += "If it does not run yet, this starts it:\n  " + a.Command + "\n"
		}
	}
	return cli.NewUsageError(noModel(text))
}

// InWords is err, as the user reads it, if it says that the session with an id is no longer open. That
// error is for programs on the SDKs.
func (r *Runtime) InWords(id string, err error) error {
	if !wire.IsSessionNotFound(err) {
		return err
	}
	known, failed := r.Parts.Sessions.Metadata(context.Background(), id)
	if known == nil && failed == nil {
		return ErrDeleted
	}
	return ErrEnded
}

// inUse is err, for a user who has asked for a session that another process is working in: it names the
// session by its title, and not the file of its log.
func inUse(err error, m *wire.SessionMetadata) error {
	var because *fault.Error
	if !errors.As(err, &because) || !errors.Is(err, vfs.ErrClaimed) {
		return err
	}
	return &fault.Error{
		Op: "sessions", On: strconv.Quote(timeline.OneLine(cmp.Or(m.Summary, m.SessionID), 60)), Kind: fault.Conflict,
		Hint: "wait until it is done there, or start a new session", Err: because.Err,
	}
}

// advice is what the user can do about a failed model call, by the category of the failure,
// where the message does not say so itself.
var advice = lazy.Value[map[string]string]{Make: func() map[string]string {
	return map[string]string{
		model.CategoryNetwork:        "Is the server running? To check the connection: sidestick doctor",
		model.CategoryTimeout:        "Look at the load of the server, or try again",
		model.CategoryServer:         "The server reports a problem of its own: look at its log, or try again later",
		model.CategoryOverloaded:     "The provider is overloaded: try again later, or name other models with --fallback",
		model.CategoryContentFilter:  "",
		model.CategoryRateLimit:      "The server limits how often it may be called: wait, and try again",
		model.CategoryQuery:          "To check the address and the model: sidestick doctor",
		model.CategoryProtocol:       "To check the address: sidestick doctor",
		model.CategoryAuthentication: "To see which key is used: sidestick doctor",
		model.CategoryAuthorization:  "",
		model.CategoryQuota:          "",
	}
}}

// Advised is the text of a failed run of a session. For a failed model call of a kind it says which address
// was called, where that was configured, and what to do next.
func (r *Runtime) Advised(ctx context.Context, s *session.Session, kind, text string) string {
	next, calls := advice.Get()[kind]
	where := r.modelAddress(ctx, s)
	if !calls || where == "" || r.Parts.Config.Fallback.Value != "" { // the failure may be that of another model
		return text
	}
	if strings.Contains(text, "_PROXY) cannot be reached") { // the server may well be running
		next = "Correct the address of the proxy, or exclude the server with NO_PROXY"
	}
	return strings.TrimSpace(strings.TrimSuffix(text, ".") + ". The model is called at " + where + ". " + next)
}

// addressTime bounds the questions to the session about its model.
const addressTime = 2 * time.Second

// modelAddress is the address of the session's model and where it was configured, "" if it
// is not known.
func (r *Runtime) modelAddress(ctx context.Context, s *session.Session) string {
	settings := s.Settings()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), addressTime)
	defer cancel()
	name, _, err := settings.Model(ctx)
	if err != nil {
		return ""
	}
	if address, ok := extensions.Address(name); ok {
		return config.ShowURL(address)
	}
	p, err := settings.Provider(ctx)
	if err != nil || p.Endpoint.BaseURL == "" {
		return ""
	}
	configured := r.Parts.Config.Provider()
	at := model.PublicAddress(p.Endpoint.BaseURL)
	if p.Endpoint.BaseURL != configured.BaseURL {
		return at
	}
	return at + " (" + configured.AddressFrom() + ")"
}
