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

// keySize is the length of the key that signs confirmations, in bytes: that of the
// hash. Source: RFC 2104, section 3.
const keySize = 32

// LoadKey returns the key in a file, which holds it as hexadecimal digits. If there is
// no file, it creates one with a new key that only the owner can read. Processes that
// start at the same time agree on one key. A file without a key is [fault.Invalid]: a
// new key would invalidate all open confirmations.
func LoadKey(fsys vfs.FS, path string) ([]byte, error) {
	text, err := vfs.ReadOrCreate(context.Background(), fsys, path, func() ([]byte, error) {
		key := make([]byte, keySize)
		_, _ = rand.Read(key) // crypto/rand never fails
		return []byte(hex.EncodeToString(key) + "\n"), nil
	})
	if err != nil {
		return nil, vfs.Failure("web.LoadKey", path, err)
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != keySize {
		return nil, &fault.Error{
			Op: "web.LoadKey", On: path, Kind: fault.Invalid, Err: errors.New("the file holds no key"),
			Hint: "remove it to get a new one; open confirmations become invalid then",
		}
	}
	return key, nil
}
