package extension

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"net/http"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Signer signs requests as the platform does, with a P-256 key, and publishes the public key
// for agents. It never changes after it is made, and is safe for concurrent use.
//
// The identifier of the key is the SHA-256 of its public key in PEM, including the final
// newline, in lower-case hexadecimal. GitHub's identifier is made in the same way.
type Signer struct {
	key  *ecdsa.PrivateKey
	id   string
	keys []byte // result of PublicKeys
}

// GenerateSigner returns a signer with a new key. To keep the key, store [Signer.PEM]. The error
// has none of the kinds; there is one only if the system has no random numbers.
func GenerateSigner() (*Signer, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, &fault.Error{Op: "extension.GenerateSigner", Err: err}
	}
	return newSigner(key)
}

// ParseSigner reads a private key in PEM: PKCS #8, or the EC PRIVATE KEY of openssl. The two
// characters \n count as a newline, as in environment variables.
//
// The error is [ErrInvalid] and contains nothing of the key.
func ParseSigner(text []byte) (*Signer, error) {
	invalid := func(why string) error {
		return &fault.Error{
			Op: "extension.ParseSigner", Kind: fault.Invalid, Err: errors.New(why),
			Hint: "make one with `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256`",
		}
	}
	rest := bytes.ReplaceAll(text, []byte(`\n`), []byte("\n"))
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return nil, invalid("there is no private key in PEM form")
		}
		if block.Type == "EC PARAMETERS" { // openssl ecparam writes it before the key
			continue
		}
		key, ok := privateKey(block.Bytes)
		if !ok {
			return nil, invalid("the PEM block " + block.Type + " is not a private key of P-256")
		}
		return newSigner(key)
	}
}

func privateKey(der []byte) (*ecdsa.PrivateKey, bool) {
	any, err := x509.ParsePKCS8PrivateKey(der)
	key, ok := any.(*ecdsa.PrivateKey)
	if err != nil {
		key, err = x509.ParseECPrivateKey(der)
		ok = err == nil
	}
	return key, ok && key.Curve == elliptic.P256()
}

func newSigner(key *ecdsa.PrivateKey) (*Signer, error) {
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return nil, &fault.Error{Op: "extension.Signer", Kind: fault.Invalid, Err: err}
	}
	s := &Signer{key: key, id: keyID(der)}
	var one, all jsonObject
	one.value("key_identifier", s.id)
	one.value("key", string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})))
	one.value("is_current", true)
	all.array("public_keys", 1, func(int) ([]byte, error) { return one.end("extension.Signer") })
	s.keys, err = all.end("extension.Signer")
	return s, err
}

// PEM returns the private key as PKCS #8 in PEM, for [ParseSigner]. It is a secret.
func (s *Signer) PEM() []byte {
	der, err := x509.MarshalPKCS8PrivateKey(s.key)
	if err != nil { // cannot happen: the curve was checked when the signer was made
		panic("extension: " + err.Error())
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// Sign returns the header values to send with body: the key's identifier, and the signature
// of exactly these bytes, ASN.1 in standard base64. The error is that of [GenerateSigner].
func (s *Signer) Sign(body []byte) (id, signature string, err error) {
	sum := sha256.Sum256(body)
	der, err := ecdsa.SignASN1(rand.Reader, s.key, sum[:])
	if err != nil {
		return "", "", &fault.Error{Op: "extension.Sign", Err: err}
	}
	return s.id, base64.StdEncoding.EncodeToString(der), nil
}

// PublicKeys returns the public key in the JSON of GitHub's endpoint,
// {"public_keys":[{"key_identifier","key","is_current"}]}.
func (s *Signer) PublicKeys() []byte { return bytes.Clone(s.keys) }

// ServeHTTP answers GET with [Signer.PublicKeys] and an ETag, or with 304 if the client
// already has them.
func (s *Signer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "the public keys are only read", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("ETag", `"`+s.id+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(s.keys))
}
