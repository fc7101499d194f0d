package chat

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// retry is a model call that has failed and is made again.
type retry struct {
	next, of int // the attempt that follows, from 2, and how many there are at most
	wait     time.Duration
	err      error
}

// maxRetries bounds the retries that wait to be printed. The model is called at most a few
// times for each answer.
const maxRetries = 16

// retrying is the callback of the model client. The goroutine of the call never waits for
// the terminal: a retry that finds no room is not printed.
func (t *conversation) retrying(next, of int, wait time.Duration, err error) {
	select {
	case t.retries <- retry{next, of, wait, err}:
	default:
	}
}

// retried prints a retry.
func (t *conversation) retried(r retry) error {
	return t.show.Note(fmt.Sprintf("retrying (%d of %d) in %v: %s",
		r.next, r.of, r.wait.Round(100*time.Millisecond), timeline.OneLine(fault.Message(r.err), 200)))
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

// failed is the failure of a run as the user reads it. For a failed model call it says which
// address was called, where that was configured, and what to do next.
func (t *conversation) failed(ctx context.Context) error {
	err := failure(t.Outcome)
	f := t.Failure
	if f == nil || err == nil || t.Aborted || !t.Idle {
		return err
	}
	next, calls := advice.Get()[f.Type]
	where := t.modelAddress(ctx)
	if !calls || where == "" || t.parts.Config.Fallback.Value != "" { // the failure may be that of another model
		return err
	}
	if strings.Contains(err.Error(), "_PROXY) cannot be reached") { // the server may well be running
		next = "Correct the address of the proxy, or exclude the server with NO_PROXY"
	}
	text := strings.TrimSuffix(err.Error(), ".") + ". The model is called at " + where + "."
	return errors.New(strings.TrimSpace(text + " " + next))
}

// modelAddress is the address of the session's model and where it was configured, "" if it
// is not known.
func (t *conversation) modelAddress(ctx context.Context) string {
	settings := t.client.Session().Settings()
	ctx = context.WithoutCancel(ctx)
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
	configured := t.parts.Config.Provider()
	at := model.PublicAddress(p.Endpoint.BaseURL)
	if p.Endpoint.BaseURL != configured.BaseURL {
		return at
	}
	return at + " (" + configured.AddressFrom() + ")"
}
