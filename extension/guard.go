package extension

import (
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/origin"
	"github.com/sidestick-dev/sidestick/internal/quota"
)

// guard checks requests before an agent or a skill runs: their method, size and
// signature.
type guard struct {
	HandlerOptions
	seen   *replays
	bodies *quota.Pool // in bytes
}

const (
	// freeBody is how much of each body does not count, in bytes, so that short messages are answered when long ones have no
	// room.
	freeBody = 64 << 10
	// retryAfter is how many seconds a client that found no room should wait before it asks again.
	retryAfter = "5"
)

func newGuard(o HandlerOptions) guard {
	o = o.filled()
	return guard{HandlerOptions: o, seen: newReplays(o.Replays), bodies: quota.New(o.MaxBodies)}
}

// admit returns the body of a request that is to be answered, and counts it in share. If ok is false, admit has
// answered the request.
func (g *guard) admit(w http.ResponseWriter, r *http.Request, share *quota.Share) (body []byte, ok bool) {
	g.limit(w, r)
	switch r.Method {
	case http.MethodPost:
	case http.MethodGet, http.MethodHead:
		respond(w, http.StatusOK, g.Greeting+"\n")
		return nil, false
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		respond(w, http.StatusMethodNotAllowed, "Requests are sent with POST.\n")
		return nil, false
	}
	err := g.fromHere(r)
	if err == nil {
		body, err = g.read(w, r, share)
	}
	if err == nil {
		err = g.verify(r, body)
	}
	if err != nil {
		g.refuse(w, r, err)
		return nil, false
	}
	return body, true
}

// fromHere refuses a request to an unsigned handler that a web page may have caused, and one of another machine,
// unless the options name hosts: these are for a proxy, which may be anywhere. A page of another origin names it; a page whose host name leads to this machine (DNS rebinding) names
// its own host.
func (g *guard) fromHere(r *http.Request) error {
	named := func(host string) bool { return strings.EqualFold(host, origin.Hostname(r.Host)) }
	switch {
	case !g.Unsigned:
		return nil // the signature is the proof
	case len(g.Hosts) == 0 && origin.Elsewhere(r):
		return refusal{http.StatusForbidden, fault.New(fault.Denied, "extension", "",
			"without a signature, only programs on the agent's machine are answered, unless the agent's options name hosts")}
	case origin.Foreign(r):
		return refusal{http.StatusForbidden, fault.New(fault.Denied, "extension", "", "web pages of other origins may not call this agent")}
	case !origin.Loopback(r.Host) && !slices.ContainsFunc(g.Hosts, named):
		return refusal{http.StatusForbidden, fault.New(fault.Denied, "extension", "",
			"without a signature, requests must be sent to localhost, or to a host that the agent's options name")}
	case origin.FormBody(r):
		return refusal{http.StatusUnsupportedMediaType, fault.New(fault.Invalid, "extension", "",
			"the body must be JSON, and its Content-Type application/json")}
	}
	return nil
}

// limit sets a deadline for reading the body. The server removes the deadline once the body
// is read to its end. It also reads what the handler left of a body before it sends the
// response; the deadline bounds that as well. A request without a body gets no deadline:
// nothing would remove it, and it would end the request.
func (g *guard) limit(w http.ResponseWriter, r *http.Request) {
	if r.Body != http.NoBody { // fails without a connection, as in tests
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(g.ReadTimeout))
	}
}

// read reads the body, up to MaxBody bytes, as far as share has room for it.
func (g *guard) read(w http.ResponseWriter, r *http.Request, share *quota.Share) ([]byte, error) {
	if r.ContentLength > g.MaxBody {
		w.Header().Set("Connection", "close")
		return nil, g.tooLong()
	}
	body, err := quota.ReadAll(http.MaxBytesReader(w, r.Body, g.MaxBody), share)
	var tooLong *http.MaxBytesError
	switch {
	case errors.As(err, &tooLong):
		return nil, g.tooLong()
	case errors.Is(err, quota.ErrNoRoom):
		w.Header().Set("Retry-After", retryAfter)
		return nil, refusal{http.StatusServiceUnavailable, fault.New(fault.Unavailable, "extension", "", "%w", err)}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, refusal{http.StatusRequestTimeout, fault.New(fault.Unavailable, "extension", "", "the request did not arrive within %v", g.ReadTimeout)}
	case err != nil:
		return nil, refusal{http.StatusBadRequest, fault.New(fault.Invalid, "extension", "", "the request did not arrive completely: %w", err)}
	}
	return body, nil
}

func (g *guard) tooLong() error {
	return refusal{http.StatusRequestEntityTooLarge, fault.New(fault.Invalid, "extension", "", "the request is longer than %d bytes", g.MaxBody)}
}

// verify reports whether the platform signed the body, and whether this is its first use.
func (g *guard) verify(r *http.Request, body []byte) error {
	if g.Unsigned {
		return nil
	}
	s, err := readSignature(r.Header)
	if err != nil {
		return err
	}
	digest := sha256.Sum256(body)
	if err := s.verify(r.Context(), g.Keys, digest); err != nil {
		return err
	}
	return g.seen.add(s, digest)
}

// refusal is an error with the HTTP status to send for it.
type refusal struct {
	status int
	error
}

func (r refusal) Unwrap() error { return r.error }

// refuse sends the error response for a request that was not admitted.
func (g *guard) refuse(w http.ResponseWriter, r *http.Request, err error) {
	var known refusal
	status := http.StatusBadRequest
	switch {
	case errors.As(err, &known):
		status, err = known.status, known.error
	case fault.KindOf(err) == fault.Denied:
		status = http.StatusUnauthorized
	case fault.KindOf(err) == fault.Unavailable:
		// The failure is on the agent's side, so the platform may send the request again.
		g.Logger.Error("requests cannot be verified", "error", err)
		respond(w, http.StatusServiceUnavailable, "Requests cannot be verified now.\n")
		return
	}
	g.Logger.Warn("request refused", "remote", r.RemoteAddr, "status", status, "reason", fault.Message(err))
	respond(w, status, fault.Message(err)+"\n")
}

// respond sends a response of plain text, about one line.
func respond(w http.ResponseWriter, status int, text string) {
	begin(w, status)
	_, _ = io.WriteString(w, text) // the client may have left
}

// begin sends the headers of a plain-text response.
func begin(w http.ResponseWriter, status int) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
}
