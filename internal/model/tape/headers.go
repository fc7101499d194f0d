package tape

import (
	"net/http"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/obs"
)

// sent are the headers of requests that choose what a provider answers. They are recorded and
// compared. Others are not even recorded: they are credentials, ids and versions.
func sent() []string {
	return []string{
		"Accept", "Content-Type", "Anthropic-Version", "Anthropic-Beta", "Openai-Beta", "Openai-Intent",
		"X-Initiator", "X-Github-Api-Version", "Copilot-Vision-Request",
	}
}

// answered are the headers of answers that this program reads.
func answered() []string {
	return []string{"Content-Type", "Location", "Retry-After", "Retry-After-Ms", "X-Should-Retry", "X-Request-Id", "Request-Id", "X-Github-Request-Id"}
}

// answeredPrefixes begin the names of further ones: those about rate limits.
func answeredPrefixes() []string {
	return []string{"X-Ratelimit-", "Anthropic-Ratelimit-", "X-Usage-Ratelimit-"}
}

func sentHeaders(h http.Header, secrets *obs.Redactor) map[string]string {
	return chosen(h, sent(), nil, secrets)
}

func answeredHeaders(h http.Header, secrets *obs.Redactor) map[string]string {
	return chosen(h, answered(), answeredPrefixes(), secrets)
}

// chosen returns the headers of these names; several values are joined by commas.
func chosen(h http.Header, names, prefixes []string, secrets *obs.Redactor) map[string]string {
	kept := map[string]string{}
	keep := func(name string) {
		if v := h.Values(name); len(v) > 0 {
			kept[http.CanonicalHeaderKey(name)] = secrets.Redact(strings.Join(v, ", "))
		}
	}
	for _, name := range names {
		keep(name)
	}
	for name := range h {
		for _, prefix := range prefixes {
			if strings.HasPrefix(http.CanonicalHeaderKey(name), prefix) {
				keep(name)
			}
		}
	}
	return kept
}
