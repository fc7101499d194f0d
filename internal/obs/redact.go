package obs

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Redacted is what stands in place of a secret.
const Redacted = "«redacted»"

// minSecret is the length in bytes from which [Redactor.Add] takes a secret. A
// shorter one would blank ordinary words, and so give itself away.
const minSecret = 8

// Redactor blanks known secrets in text. The zero value knows none. It is safe
// for concurrent use, and reading takes no lock: every log line passes it.
type Redactor struct {
	mu       sync.Mutex // guards secrets, and swapping replacer
	secrets  []string
	replacer atomic.Pointer[strings.Replacer] // nil while there are no secrets
}

// Add makes secret known. One shorter than 8 bytes is ignored, space around it
// too. It counts for what is redacted from now on, so add a secret before its
// first use; there is no way to forget one.
func (r *Redactor) Add(secret string) {
	secret = strings.TrimSpace(secret)
	if len(secret) < minSecret {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.Contains(r.secrets, secret) {
		return
	}
	r.secrets = append(r.secrets, secret)
	r.replacer.Store(newReplacer(r.secrets))
}

// newReplacer tries the longest secret first, so that one which begins with
// another does not leave its end standing.
func newReplacer(secrets []string) *strings.Replacer {
	longest := slices.SortedFunc(slices.Values(secrets), func(a, b string) int {
		return cmp.Compare(len(b), len(a))
	})
	var pairs []string
	for _, secret := range longest {
		pairs = append(pairs, secret, Redacted)
	}
	return strings.NewReplacer(pairs...)
}

// Redact returns text with every known secret replaced by [Redacted].
func (r *Redactor) Redact(text string) string {
	replacer := r.replacer.Load()
	if replacer == nil {
		return text
	}
	return replacer.Replace(text)
}

// tellingNames are the parts of a key under which no text is shown.
var tellingNames = []string{"token", "key", "authorization", "secret", "password"}

// isTelling says whether a key names something secret. It errs on that side:
// "monkey" is blanked, and only the log is poorer for it.
func isTelling(key string) bool {
	key = strings.ToLower(key)
	return slices.ContainsFunc(tellingNames, func(name string) bool { return strings.Contains(key, name) })
}
