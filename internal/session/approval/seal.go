package approval

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// Seal returns a keyed digest of some texts, which only a process with the key of this
// machine can make: what a log says counts as this machine's if it has the seal.
func (g *Grants) Seal(parts ...string) (string, error) {
	key, err := g.key()
	if err != nil {
		return "", err
	}
	text := append(make([]byte, 0, 256), "seal"...)
	for _, part := range parts {
		text = binary.AppendUvarint(text, uint64(len(part)))
		text = append(text, part...)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(text)
	return hex.EncodeToString(mac.Sum(nil)), nil
}
