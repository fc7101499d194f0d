package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// callID returns the id of a call as the provider accepts it. It depends on the id alone, so that
// a call and its result agree, and requests repeat what the provider has cached.
func (r idRule) callID(id string) string {
	const most = 40
	switch {
	case r == shortID && len(id) > most:
		sum := sha256.Sum256([]byte(id))
		return "call_" + hex.EncodeToString(sum[:16])
	case r == nineID && !nine(id):
		return ninth(id)
	}
	return id
}

// alphabet is what ids of nine characters consist of.
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

func nine(id string) bool {
	return len(id) == 9 && !strings.ContainsFunc(id, func(r rune) bool { return !strings.ContainsRune(alphabet, r) })
}

// ninth makes an id of nine characters of another one.
func ninth(id string) string {
	sum := sha256.Sum256([]byte(id))
	var out [9]byte
	for i := range out {
		out[i] = alphabet[int(sum[i])%len(alphabet)]
	}
	return string(out[:])
}
