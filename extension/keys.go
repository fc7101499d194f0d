package extension

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// KeySource returns the public keys of a platform. It must be safe for concurrent use.
type KeySource interface {
	// Key returns the key with the given identifier. The error is [ErrUnknownKey] if the
	// platform has no such key; any other error means that the keys could not be fetched. The
	// sources of this package return [ErrUnavailable] then, and [ErrCanceled] if ctx ended.
	Key(ctx context.Context, id string) (*ecdsa.PublicKey, error)
}

// ErrUnknownKey is returned by a [KeySource] that does not have the key.
var ErrUnknownKey = errors.New("the platform has no such key")

// FixedKeys returns a source of keys that are known in advance, such as those of your own
// platform or of a test. Each text contains one or more P-256 public keys in PEM. It may be
// on one line, or have the two characters \n for its line ends, as in an environment
// variable.
//
// The identifier of a key is the SHA-256 of its PEM, with a newline at the end, in
// hexadecimal. GitHub's identifiers are made in the same way.
//
// The error is [ErrInvalid] if a text contains no key, or something that is not a key.
func FixedKeys(pems ...string) (KeySource, error) {
	keys := fixedKeys{}
	for i, text := range pems {
		found, err := readKeys(text)
		if err != nil {
			return nil, fault.New(fault.Invalid, "extension.FixedKeys", "", "text %d of %d: %w", i+1, len(pems), err)
		}
		for _, key := range found {
			keys[keyID(key.der)] = key.public
		}
	}
	if len(keys) == 0 {
		return nil, fault.New(fault.Invalid, "extension.FixedKeys", "", "no keys were given")
	}
	return keys, nil
}

type fixedKeys map[string]*ecdsa.PublicKey

// Key implements [KeySource].
func (k fixedKeys) Key(_ context.Context, id string) (*ecdsa.PublicKey, error) {
	if key, ok := k[id]; ok {
		return key, nil
	}
	return nil, ErrUnknownKey
}

const (
	beginKey = "-----BEGIN PUBLIC KEY-----"
	endKey   = "-----END PUBLIC KEY-----"
)

// publicKey is a key and the bytes of its PEM block.
type publicKey struct {
	der    []byte
	public *ecdsa.PublicKey
}

// readKeys reads the keys of a text, at least one. It looks for the markers only and accepts
// any white space between them, because encoding/pem requires lines.
func readKeys(text string) ([]publicKey, error) {
	if strings.Contains(text, "PRIVATE KEY") {
		return nil, errors.New("this is a private key; the platform's public one is wanted")
	}
	var keys []publicKey
	text = strings.NewReplacer(`\r`, "\n", `\n`, "\n").Replace(text)
	for {
		_, after, begins := strings.Cut(text, beginKey)
		body, rest, ends := strings.Cut(after, endKey)
		switch {
		case !begins && len(keys) > 0:
			return keys, nil
		case !begins || !ends:
			return nil, fmt.Errorf("there is no key in PEM, from %s to %s", beginKey, endKey)
		}
		key, err := readKey(strings.Join(strings.Fields(body), ""))
		if err != nil {
			return nil, err
		}
		keys, text = append(keys, key), rest
	}
}

// readKey decodes the base64 text of a key.
func readKey(text string) (publicKey, error) {
	der, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return publicKey{}, fmt.Errorf("the key is not base64: %w", err)
	}
	parsed, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return publicKey{}, fmt.Errorf("the key cannot be read: %w", err)
	}
	public, ok := parsed.(*ecdsa.PublicKey)
	if !ok || public.Curve != elliptic.P256() {
		return publicKey{}, errors.New("the key is not of ECDSA with P-256")
	}
	return publicKey{der: der, public: public}, nil
}

// keyID returns the identifier of a key, computed as GitHub does.
func keyID(der []byte) string {
	sum := sha256.Sum256(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
	return hex.EncodeToString(sum[:])
}
