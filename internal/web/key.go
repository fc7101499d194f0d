package web

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// keySize is the length of the key that seals confirmations, in bytes: that of the
// hash. Source: RFC 2104, section 3.
const keySize = 32

// LoadKey returns the key that a file holds, as hexadecimal digits, and makes both if
// there is no file. Only its owner can read it. Processes that start at once agree on
// one key. A file that holds no key is [fault.Invalid]: another key would make void
// what people are still to answer.
func LoadKey(fsys vfs.FS, path string) ([]byte, error) {
	text, err := vfs.ReadOrCreate(context.Background(), fsys, path, func() ([]byte, error) {
		key := make([]byte, keySize)
		_, _ = rand.Read(key) // never fails
		return []byte(hex.EncodeToString(key) + "\n"), nil
	})
	if err != nil {
		return nil, &fault.Error{Op: "web.LoadKey", On: path, Kind: fault.Unavailable, Err: err}
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != keySize {
		return nil, &fault.Error{
			Op: "web.LoadKey", On: path, Kind: fault.Invalid, Err: errors.New("the file holds no key"),
			Hint: "remove it to get a new one; confirmations that are still open are void then",
		}
	}
	return key, nil
}
