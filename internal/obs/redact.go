package obs

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Redacted replaces a secret.
const Redacted = "«redacted»"

// MinSecret is the shortest secret that [Redactor.Add] accepts, in bytes. A shorter one
// would replace ordinary words, and thereby reveal itself.
const MinSecret = 8

// minToken is the shortest secret that is replaced in conversations, in bytes; see
// [Redactor.RedactData].
const minToken = 16

// Redactor replaces known secrets in text, also where they are encoded: as part of a URL or
// of a JSON string, and in base64, alone or in any place of a longer text such as
// "user:key". The zero value knows none. It is safe for concurrent use, and Redact takes no
// lock, unless a secret was added since the last call, because every log line passes through it.
type Redactor struct {
	parent *Redactor // knows more secrets; nil for none

	mu      sync.Mutex      // guards the rest, and swapping known
	secrets map[string]bool // of Add
	added   []string        // those of secrets that are not in known
	passing []string        // the last [maxPassing] secrets of AddPassing, the oldest first

	lent    atomic.Pointer[Redactor] // of Lend; nil for none
	stale   atomic.Bool              // added has secrets
	known   atomic.Pointer[needles]  // of Add; nil while there are no secrets
	current atomic.Pointer[needles]  // of AddPassing, the same
}

// Child returns a redactor that also knows all secrets of r, now and later. Each session has
// one, so that its texts are not searched for the secrets of other sessions.
func (r *Redactor) Child() *Redactor { return &Redactor{parent: r} }

// Add makes secret known, without surrounding space. One shorter than 8 bytes is ignored.
// It has an effect only on later calls of Redact, so add a secret before its first use.
// Secrets cannot be removed; for short-lived ones there are [Redactor.AddPassing] and [Redactor.Lend].
func (r *Redactor) Add(secret string) {
	secret = strings.TrimSpace(secret)
	if len(secret) < MinSecret || strings.Contains(Redacted, secret) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.secrets[secret] {
		return
	}
	if r.secrets == nil {
		r.secrets = map[string]bool{}
	}
	r.secrets[secret], r.added = true, append(r.added, secret)
	r.stale.Store(true)
}

// needles are those that r itself knows, without its parents. One of them is nil if there are
// no such secrets.
func (r *Redactor) needles() (lasting, passing *needles) {
	if r.stale.Load() {
		r.mu.Lock()
		if len(r.added) > 0 {
			r.known.Store(r.known.Load().with(r.added))
			r.added = nil
			r.stale.Store(false)
		}
		r.mu.Unlock()
	}
	return r.known.Load(), r.current.Load()
}

// each calls do with all needles that r and its parents know.
func (r *Redactor) each(do func(*needles)) {
	for ; r != nil; r = r.parent {
		lasting, passing := r.needles()
		if lasting != nil {
			do(lasting)
		}
		if passing != nil {
			do(passing)
		}
		if lent := r.lent.Load(); lent != nil {
			if lasting, _ = lent.needles(); lasting != nil {
				do(lasting)
			}
		}
	}
}

// Lend makes known to r also the secrets that another redactor knows from [Redactor.Add], now and later, until
// the next call of Lend. So secrets can be forgotten that r does not know in another way. nil lends none.
func (r *Redactor) Lend(from *Redactor) { r.lent.Store(from) }

// maxPassing is how many secrets of [Redactor.AddPassing] are known at a time.
const maxPassing = 16

// AddPassing is Add for a secret that is used once or for a short time, such as an access
// token. Only the last 16 of them stay known.
func (r *Redactor) AddPassing(secret string) {
	secret = strings.TrimSpace(secret)
	if len(secret) < MinSecret || strings.Contains(Redacted, secret) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.secrets[secret] || slices.Contains(r.passing, secret) {
		return
	}
	if len(r.passing) == maxPassing {
		r.passing = r.passing[1:]
	}
	r.passing = append(slices.Clone(r.passing), secret)
	r.current.Store((*needles)(nil).with(r.passing))
}

// AddURL makes the secrets in an address known: its password, and the values of parameters
// whose names are those of secrets. A text that is no URL is searched all the same.
func (r *Redactor) AddURL(address string) {
	before, after, cut := strings.Cut(address, "?")
	if user, _, ok := cutLast(before, "@"); ok {
		_, user, _ = strings.Cut(user, "://")
		if _, password, ok := strings.Cut(user, ":"); ok {
			r.addEncoded(password)
		}
	}
	if !cut {
		return
	}
	after, _, _ = strings.Cut(after, "#")
	for parameter := range strings.SplitSeq(after, "&") {
		if name, value, _ := strings.Cut(parameter, "="); NamesSecret(name) {
			r.addEncoded(value)
		}
	}
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// addEncoded adds a part of a URL as it is written and as it is meant.
func (r *Redactor) addEncoded(value string) {
	r.Add(value)
	if plain, err := url.QueryUnescape(value); err == nil {
		r.Add(plain)
	}
	if plain, err := url.PathUnescape(value); err == nil {
		r.Add(plain)
	}
}

// AddHeader makes the value of a header known, unless it is Content-Type, Accept or
// User-Agent: services choose any name for the header with their key. A scheme such as
// "Bearer" is no part of the secret, and of "Basic" the password is one, too. Of a value with
// several words, each word is a secret that is long and mixed enough to be a key.
func (r *Redactor) AddHeader(name, value string) {
	if slices.ContainsFunc(harmlessHeaders, func(h string) bool { return strings.EqualFold(h, name) }) {
		return
	}
	value = strings.TrimSpace(value)
	scheme, credential, ok := strings.Cut(value, " ")
	if !ok {
		r.Add(value)
		return
	}
	for word := range strings.FieldsSeq(value) {
		if isToken(word) {
			r.Add(word)
		}
	}
	r.Add(credential)
	if strings.EqualFold(scheme, "Basic") {
		if pair, err := base64.StdEncoding.DecodeString(strings.TrimSpace(credential)); err == nil {
			_, password, _ := strings.Cut(string(pair), ":")
			r.Add(password)
		}
	}
}

// Redact returns text with every known secret replaced by [Redacted].
func (r *Redactor) Redact(text string) string {
	r.each(func(known *needles) { text = replaceAll(text, &known.all) })
	return text
}

// RedactExcerpt is Redact for a text that may have been cut, with or without "…" at its end:
// it also replaces the beginning of a secret there, from 8 bytes on.
func (r *Redactor) RedactExcerpt(text string) string {
	text = r.Redact(text)
	rest, mark := strings.CutSuffix(text, "…")
	r.each(func(known *needles) {
		if at := known.all.begun(rest); at >= 0 {
			rest = rest[:at] + Redacted
		}
	})
	if mark {
		return rest + "…"
	}
	return rest
}

// RedactData is Redact for the data of an event, a JSON value. Numbers and the structure
// stay. If conversation is set, the data belongs to the conversation, where only secrets are
// replaced that have at least 16 bytes, with a letter and a digit: people choose words such
// as "whatever" as the key of a local model, and the model has to read files that contain
// that word. The same holds for the names of fields, because a word may be one of the
// protocol.
func (r *Redactor) RedactData(data []byte, conversation bool) []byte {
	hidden := mayHide(data, bytes.IndexByte)
	r.each(func(known *needles) {
		values := &known.all
		if conversation {
			values = &known.tokens
		}
		if hidden || values.in(data) { // most events contain none
			data = replaceStrings(data, &known.tokens, values)
		}
	})
	return data
}

// RedactPiece is Redact for a piece of an answer that is being streamed, or a short text such
// as the id of a model, with the secrets that are replaced in conversations. A secret that is split between two pieces is not found.
func (r *Redactor) RedactPiece(text string) string {
	r.each(func(known *needles) {
		if len(text) >= known.tokens.shortest {
			text = replaceAll(text, &known.tokens)
		}
	})
	return text
}

// replaceAll replaces each of the needles, also where characters of it are escaped. It does
// not copy a text that has none.
func replaceAll(text string, words *index) string {
	return replaceEscaped(words.replace(text), words)
}

// replaceStrings replaces the needles of names in the names of the fields of a JSON value,
// and those of values in its other strings.
func replaceStrings(data []byte, names, values *index) []byte {
	out := make([]byte, 0, len(data))
	for i := 0; i < len(data); {
		if data[i] != '"' {
			out = append(out, data[i])
			i++
			continue
		}
		end := i + 1
		for end < len(data) && data[end] != '"' {
			if data[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end+1, len(data))
		list := values
		if next := bytes.TrimLeft(data[end:], " \t\r\n"); len(next) > 0 && next[0] == ':' {
			list = names
		}
		out = append(out, replaceAll(string(data[i:end]), list)...)
		i = end
	}
	return out
}

// isToken reports whether a secret is long and mixed enough to be in no ordinary text.
func isToken(secret string) bool {
	return len(secret) >= minToken && strings.ContainsAny(secret, "0123456789") &&
		strings.ContainsFunc(secret, func(c rune) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' })
}
