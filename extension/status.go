package extension

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

const (
	// maxRefusal bounds how much of the body of an error response is read, in bytes.
	maxRefusal = 64 << 10
	// maxShown bounds how much of that body is shown, in bytes.
	maxShown = 4 << 10
)

// StatusError is a response with a status other than 2xx.
type StatusError struct {
	Status int
	// Body is the beginning of the body, at most 4 KiB, as one line. Characters that do not
	// print are escaped, which may make it longer, and secrets of the request are removed.
	// It is empty for a web page and for a stream of events.
	Body string
	// AuthorizeURL is the http address at which the user authorizes the agent to act for
	// them. Empty if the agent did not send one.
	AuthorizeURL string
	// Page is true if the body was a web page.
	Page bool
}

// Error returns the status and the body.
func (e *StatusError) Error() string {
	s := "the agent answered " + strconv.Itoa(e.Status)
	if text := http.StatusText(e.Status); text != "" {
		s += " " + text
	}
	switch {
	case e.Page:
		return s + ", a web page"
	case e.Body != "":
		return s + ": " + e.Body
	}
	return s
}

// kind returns the kind of error for the status.
func (e *StatusError) kind() fault.Kind {
	switch {
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden:
		return fault.Denied
	case e.Status == http.StatusNotFound || e.Status == http.StatusGone:
		return fault.NotFound
	case e.Status >= 500 || e.Status == http.StatusTooManyRequests || e.Status == http.StatusRequestTimeout || e.Status == http.StatusFailedDependency:
		return fault.Unavailable
	}
	return fault.Invalid
}

// refused reports whether the status is other than 2xx.
func (x *exchange) refused() bool { return x.resp.StatusCode/100 != 2 }

// statusError returns the error for a response with a status other than 2xx.
func (x *exchange) statusError(body io.Reader) error {
	e := &StatusError{Status: x.resp.StatusCode}
	f := &fault.Error{Kind: e.kind(), Err: e}
	all, err := io.ReadAll(io.LimitReader(body, maxRefusal))
	if err != nil && len(all) == 0 {
		return f // the status is enough
	}
	if form, _ := formOfStart(all); form == formPage {
		e.Page = true
		return f
	}
	text := string(all)
	for _, secret := range x.secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "[secret]")
		}
	}
	shown := text
	if len(text) > maxShown {
		shown = text[:whole(text[:maxShown])]
	}
	e.Body = printable(strings.TrimSpace(shown))
	switch e.AuthorizeURL = authorizeURL([]byte(text)); {
	case e.AuthorizeURL != "":
		f.Hint = "allow the agent at " + e.AuthorizeURL + " and try again"
	case e.Status == http.StatusUnauthorized:
		f.Hint = "the agent may want requests signed by a key that it knows, or a token"
	}
	return f
}

// authorizeURL finds the authorization link in the body of a response.
func authorizeURL(body []byte) string {
	var said struct {
		URL   string          `json:"authorize_url"`
		Error json.RawMessage `json:"error"`
	}
	_ = json.Unmarshal(body, &said) // most bodies are not JSON
	if said.URL == "" && isObject(said.Error) {
		said.URL = fieldsOf(said.Error).first("authorize_url")
	}
	if !isLink(said.URL) {
		return ""
	}
	return printable(said.URL)
}

// printable escapes characters that do not print, such as those that control a terminal or
// change the direction of text.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strconv.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRune(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}
