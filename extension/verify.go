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

// maxSignature bounds a signature, in bytes of base64. A P-256 signature has at most 96.
const maxSignature = 256

// Verify returns nil if body was signed with the key that the header names: ECDSA with P-256
// over the SHA-256 of the bytes, ASN.1 in base64. Verify the body exactly as it arrived,
// before decoding it.
//
// It reads X-GitHub-Public-Key-Identifier and X-GitHub-Public-Key-Signature or, if they are
// absent, the same names without X-, which platforms sent before 2025.
//
// The error is [ErrDenied] if a header is missing, the key is unknown or not a P-256 key,
// or the signature is malformed or does not match the bytes; [ErrUnavailable] if the keys
// cannot be fetched now; [ErrCanceled] if ctx was canceled. A signature does not expire, see
// Replays in [HandlerOptions].
func Verify(ctx context.Context, k KeySource, h http.Header, body []byte) error {
	s, err := readSignature(h)
	if err != nil {
		return err
	}
	return s.verify(ctx, k, sha256.Sum256(body))
}

// signedHeader is the signature of a request, with the identifier of its key.
type signedHeader struct {
	key       string
	signature []byte
}

func readSignature(h http.Header) (signedHeader, error) {
	for _, prefix := range []string{"X-GitHub-", "GitHub-"} {
		id, text := h.Get(prefix+"Public-Key-Identifier"), h.Get(prefix+"Public-Key-Signature")
		if id == "" || text == "" {
			continue
		}
		signature, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(text) > maxSignature {
			return signedHeader{}, denied("the signature is not base64 of at most %d bytes", maxSignature)
		}
		return signedHeader{key: id, signature: signature}, nil
	}
	return signedHeader{}, denied("the request is not signed: it needs X-GitHub-Public-Key-Identifier and X-GitHub-Public-Key-Signature")
}

func (s signedHeader) verify(ctx context.Context, k KeySource, digest [sha256.Size]byte) error {
	key, err := k.Key(ctx, s.key)
	switch {
	case errors.Is(err, ErrUnknownKey), err == nil && key == nil:
		return denied("the request is signed with a key that the platform does not publish")
	case err != nil && fault.KindOf(err) == fault.Internal: // a source that is not of this package
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
