package model

import (
	"net/http"
	"slices"
	"strings"
)

// ErrorTable classifies failures by status and by the text of the body. Rows
// are tried in order, and the first that fits counts. A failure that fits no row of a
// dialect is classified by the common rows, and otherwise by its status alone.
type ErrorTable []ErrorRow

// ErrorRow fits a failure if each of its conditions that is set holds.
type ErrorRow struct {
	Status int      // the HTTP status
	Codes  []string // the code or the type is one of these
	Words  []string // the message contains one of these; in lower case
	// Category is the result; empty leaves it to the status.
	Category string
	// Final means that trying again does not help, for every status.
	Final bool
	// Passing means that trying again may help, for every status; errors within a stream
	// often have none.
	Passing bool
}

// common are the rows of every dialect, after its own. The codes are those by which providers
// name failures that their status does not tell: waiting does not help against a used-up quota,
// a shorter prompt helps against one that is too long.
// Sources: the error tables of OpenAI, DeepSeek, the Copilot API and llama.cpp; the words
// are for servers that send the sentence without a code, such as vLLM.
var common = ErrorTable{
	{
		Codes:    []string{"insufficient_quota", "quota_exceeded", "billing_hard_limit_reached", "credit_balance_exhausted", "usage_not_included"},
		Category: CategoryQuota, Final: true,
	},
	{
		Codes:    []string{"context_length_exceeded", "model_max_prompt_tokens_exceeded", "exceed_context_size_error"},
		Category: CategoryContextLimit, Final: true,
	},
	{Codes: []string{"user_weekly_rate_limited"}, Final: true},
	{Status: http.StatusPaymentRequired, Category: CategoryQuota, Final: true},
	{Status: http.StatusRequestEntityTooLarge, Category: CategoryContextLimit, Final: true},
	{
		Status: http.StatusBadRequest, Words: []string{"maximum context length", "context length exceeded", "prompt is too long"},
		Category: CategoryContextLimit, Final: true,
	},
}

// passing are the statuses worth another try. 529 is "overloaded".
var passing = []int{429, 500, 502, 503, 504, 529}

// Classify sets Category and Retryable by status, code and message.
func (t ErrorTable) Classify(e *Error) {
	row, ok := t.find(e)
	if !ok {
		row, _ = common.find(e)
	}
	e.Category, e.Retryable = row.Category, !row.Final && (row.Passing || slices.Contains(passing, e.Status))
	if e.Category == "" {
		e.Category = byStatus(e.Status, e.Code+" "+e.Type)
	}
}

func (t ErrorTable) find(e *Error) (ErrorRow, bool) {
	for _, row := range t {
		if row.fits(e) {
			return row, true
		}
	}
	return ErrorRow{}, false
}

func (r *ErrorRow) fits(e *Error) bool {
	switch {
	case r.Status != 0 && r.Status != e.Status:
		return false
	case r.Codes != nil && !slices.Contains(r.Codes, e.Code) && !slices.Contains(r.Codes, e.Type):
		return false
	case r.Words == nil:
		return true
	}
	message := strings.ToLower(e.Message)
	return slices.ContainsFunc(r.Words, func(w string) bool { return strings.Contains(message, w) })
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
	case status >= 500:
		return CategoryServer
	case status >= 400, strings.Contains(code, "invalid_request"):
		return CategoryQuery
	case status >= 300:
		return CategoryProtocol
	}
	return CategoryServer
}
