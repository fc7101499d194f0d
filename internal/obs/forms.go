package obs

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// forms returns a secret as it is and in the encodings in which programs print it.
func forms(secret string) []string {
	all := []string{secret}
	add := func(form string) {
		if len(form) >= MinSecret && !slices.Contains(all, form) {
			all = append(all, form)
		}
	}
	for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret)} {
		add(form)
		add(lowerHex(form))
		for _, html := range []bool{false, true} {
			add(inJSON(form, html))
			add(inJSON(inJSON(form, html), false)) // in JSON that is a string of JSON, such as the arguments of a call
		}
	}
	for offset := range 3 {
		inside := inBase64(secret, offset)
		add(inside)
		add(strings.NewReplacer("+", "-", "/", "_").Replace(inside))
	}
	return all
}

// inJSON is a text inside a JSON string. With html, the characters <, > and & are escaped, too.
func inJSON(text string, html bool) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(html)
	if e.Encode(text) != nil {
		return ""
	}
	return strings.Trim(strings.TrimSpace(b.String()), `"`)
}

// lowerHex writes the hexadecimal digits after each % in lower case.
func lowerHex(form string) string {
	b := []byte(form)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i:], bytes.ToLower(b[i:i+3]))
		}
	}
	return string(b)
}

// inBase64 returns the base64 characters that depend only on the secret, for a secret that
// begins offset bytes (0 to 2, modulo 3) into the encoded text.
func inBase64(secret string, offset int) string {
	encoded := base64.RawStdEncoding.EncodeToString(append(make([]byte, offset), secret...))
	if (offset+len(secret))%3 != 0 {
		encoded = encoded[:len(encoded)-1]
	}
	return encoded[(offset*8+5)/6:]
}

// harmlessHeaders are the headers whose values are no secrets.
var harmlessHeaders = []string{"Content-Type", "Accept", "User-Agent"}

// secretNames are the parts of a name that mark its value as a secret.
var secretNames = []string{"token", "key", "authorization", "secret", "password", "passwd", "credential", "signature", "cookie"}

// shortNames mark a value as a secret if they are the whole name.
var shortNames = []string{"sig", "auth", "pwd", "jwt"}

// NamesSecret reports whether a key names a secret. In doubt it does: "monkey" is one,
// too.
func NamesSecret(key string) bool {
	key = strings.ToLower(key)
	return slices.Contains(shortNames, key) ||
		slices.ContainsFunc(secretNames, func(name string) bool { return strings.Contains(key, name) })
}
