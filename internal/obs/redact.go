package obs

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Redacted replaces a secret.
const Redacted = "«redacted»"

// minSecret is the shortest secret that [Redactor.Add] accepts, in bytes. A shorter one
// would replace ordinary words, and thereby reveal itself.
const minSecret = 8

// Redactor replaces known secrets in text. The zero value knows none. It is safe for
// concurrent use, and Redact takes no lock, because every log line passes through it.
type Redactor struct {
	mu       sync.Mutex // guards secrets, and swapping replacer
	secrets  []string
	replacer atomic.Pointer[strings.Replacer] // nil while there are no secrets
}

// Add makes secret known, without surrounding space. One shorter than 8 bytes is ignored.
// It has an effect only on later calls of Redact, so add a secret before its first use.
// Secrets cannot be removed.
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

// newReplacer tries the longest secret first, so that of two secrets with the same
// beginning the longer one is replaced completely.
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

// secretNames are the parts of a key that mark its value as a secret.
var secretNames = []string{"token", "key", "authorization", "secret", "password"}

// namesSecret reports whether a key names a secret. In doubt it does: "monkey" is one,
// too.
func namesSecret(key string) bool {
	key = strings.ToLower(key)
	return slices.ContainsFunc(secretNames, func(name string) bool { return strings.Contains(key, name) })
}
