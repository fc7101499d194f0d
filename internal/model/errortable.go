package model

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// ErrorTable classifies failures by status and by the text of the body. Rows
// are tried in order, and the first that fits counts. A failure that fits no row of a
// dialect is classified by the common rows (errorrows.go), and otherwise by its status alone.
type ErrorTable []ErrorRow

// ErrorRow fits a failure if each of its conditions that is set holds.
type ErrorRow struct {
	Status int      // the HTTP status
	Codes  []string // the code or the type is one of these
	// Words are in lower case. The message, or what the provider says besides it, contains one of
	// them. A word with "…" in it is two words, the second behind the first.
	Words []string
	Host  string // the host of the endpoint ends in this
	Empty bool   // there is no body
	// Category is the result; empty leaves it to the status.
	Category string
	// Hint says what to do next; empty leaves it to the category.
	Hint string
	// Final means that trying again does not help, for every status.
	Final bool
	// Passing means that trying again may help, for every status; errors within a stream
	// often have none.
	Passing bool
	// Tries is how often the call is tried altogether; 0 leaves it to [Retry].
	Tries int
	// Loading means that the server loads its model. It is waited for, and that counts as no try.
	Loading bool
	// Repair is the change of the request with which the call is made once more; empty: none.
	Repair Repair
}

// passing are the statuses worth another try. 408 and 409 are conflicts in time, 520 to 524 those
// of a proxy (Cloudflare) that does not reach the server, and 529 is "overloaded".
var passing = []int{408, 409, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, statusOverloaded}

// statusOverloaded is the status of a provider that is overloaded, at Anthropic and others.
const statusOverloaded = 529

// Classify sets Category, Retryable and what else a row says, by status, code and message.
func (t ErrorTable) Classify(e *Error) {
	row, ok := t.find(e)
	if !ok {
		row, _ = common.Get().find(e)
	}
	e.Category, e.Retryable = row.Category, !row.Final && (row.Passing || slices.Contains(passing, e.Status))
	e.hint, e.repair, e.tries, e.loading = row.Hint, row.Repair, row.Tries, row.Loading
	if e.Category == "" {
		e.Category = byStatus(e.Status, e.Code+" "+e.Type)
	}
	switch e.Category {
	case CategoryContextLimit:
		e.Limit, e.Prompt = cmp.Or(e.Limit, limitIn(e.Message)), cmp.Or(e.Prompt, promptIn(e.Message))
	case CategoryToolLimit:
		e.Limit, e.Prompt = toolLimitIn(e.Message), 0
	default:
		e.Limit, e.Prompt = 0, 0
	}
	if e.ignore {
		e.Retryable = false
	}
}

func (t ErrorTable) find(e *Error) (ErrorRow, bool) {
	text := strings.ToLower(e.Message + "\n" + e.details)
	for i := range t {
		if t[i].fits(e, text) {
			return t[i], true
		}
	}
	return ErrorRow{}, false
}

func (r *ErrorRow) fits(e *Error, text string) bool {
	switch {
	case r.Status != 0 && r.Status != e.Status,
		r.Codes != nil && !slices.Contains(r.Codes, e.Code) && !slices.Contains(r.Codes, e.Type),
		r.Host != "" && !strings.HasSuffix(hostOf(e.URL), r.Host),
		r.Empty && !e.empty:
		return false
	}
	return r.Words == nil || slices.ContainsFunc(r.Words, func(w string) bool { return says(text, w) })
}

// says reports whether a text contains the parts of a word, one behind the other.
func says(text, word string) bool {
	for part := range strings.SplitSeq(word, "…") {
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return true
}

// byStatus classifies by status and, inside a stream where there is none, by
// what the code or type contains.
func byStatus(status int, code string) string {
	switch {
	case status == http.StatusUnauthorized:
		return CategoryAuthentication
	case status == http.StatusForbidden:
		return CategoryAuthorization
	case status == http.StatusRequestTimeout:
		return CategoryTimeout
	case status == http.StatusTooManyRequests, strings.Contains(code, "rate_limit"):
		return CategoryRateLimit
	case status == statusOverloaded, strings.Contains(code, "overloaded"):
		return CategoryOverloaded
	case status >= 500:
		return CategoryServer
	case status >= 400, strings.Contains(code, "invalid_request"):
		return CategoryQuery
	case status >= 300:
		return CategoryProtocol
	}
	return CategoryServer
}

// hostOf returns the host of a URL without credentials, "" if it has none.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
