package extension

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// maxSignature bounds a signature, in bytes of base64. One of P-256 has 96 at most.
const maxSignature = 256

// Verify reports whether body was signed with one of the platform's keys, as the
// header says: ECDSA with P-256 over the SHA-256 of the bytes, ASN.1 in base64.
// Verify before decoding, and the very bytes that came.
//
// It reads X-GitHub-Public-Key-Identifier and -Signature, or else the pair of the
// same names without X-, which platforms sent before 2025.
//
// The error is [fault.Denied] if the header has no whole pair, the key is unknown or
// not of P-256, or the signature is malformed or of other bytes; [fault.Unavailable]
// if the keys cannot be had now, [fault.Canceled] if ctx ended. A request that was
// signed once verifies for ever, see HandlerOptions.Replays.
func Verify(ctx context.Context, k KeySource, h http.Header, body []byte) error {
	s, err := readSeal(h)
	if err != nil {
		return err
	}
	return s.verify(ctx, k, sha256.Sum256(body))
}

// seal is what a header says about who signed.
type seal struct {
	key       string
	signature []byte
}

func readSeal(h http.Header) (seal, error) {
	for _, prefix := range []string{"X-GitHub-", "GitHub-"} {
		id, text := h.Get(prefix+"Public-Key-Identifier"), h.Get(prefix+"Public-Key-Signature")
		if id == "" || text == "" {
			continue
		}
		signature, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(text) > maxSignature {
			return seal{}, denied("the signature is not base64 of at most %d bytes", maxSignature)
		}
		return seal{key: id, signature: signature}, nil
	}
	return seal{}, denied("the request is not signed: it needs X-GitHub-Public-Key-Identifier and X-GitHub-Public-Key-Signature")
}

func (s seal) verify(ctx context.Context, k KeySource, digest [sha256.Size]byte) error {
	key, err := k.Key(ctx, s.key)
	switch {
	case errors.Is(err, ErrUnknownKey), err == nil && key == nil:
		return denied("the request is signed with a key that the platform does not publish")
	case err != nil && fault.KindOf(err) == fault.Internal: // a source of somebody else's
		return &fault.Error{Op: "extension.Verify", Kind: fault.Unavailable, Err: err}
	case err != nil:
		return err
	case key.Curve != elliptic.P256():
		return denied("the request is signed with a key that is not of P-256")
	case !ecdsa.VerifyASN1(key, digest[:], s.signature):
		return denied("the signature does not fit the body")
	}
	return nil
}

func denied(format string, args ...any) error {
	return fault.New(fault.Denied, "extension.Verify", "", format, args...)
}
