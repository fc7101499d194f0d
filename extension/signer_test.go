package extension_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

func newSigner(t *testing.T) *extension.Signer {
	t.Helper()
	s, err := extension.GenerateSigner()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// verifies checks a signature as another implementation would.
func verifies(t *testing.T, keys []byte, id, signature string, body []byte) bool {
	t.Helper()
	var published struct {
		Keys []struct {
			ID      string `json:"key_identifier"`
			Key     string `json:"key"`
			Current bool   `json:"is_current"`
		} `json:"public_keys"`
	}
	if err := json.Unmarshal(keys, &published); err != nil || len(published.Keys) != 1 || !published.Keys[0].Current {
		t.Fatalf("keys %s: %v", keys, err)
	}
	key := published.Keys[0]
	sum := sha256.Sum256([]byte(key.Key))
	if key.ID != id || id != hex.EncodeToString(sum[:]) || !strings.HasSuffix(key.Key, "-----END PUBLIC KEY-----\n") {
		t.Fatalf("key %q has the id %s, the signature %s, want %x", key.Key, key.ID, id, sum)
	}
	block, _ := pem.Decode([]byte(key.Key))
	public, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	der, err := base64.StdEncoding.DecodeString(signature)
	if err != nil {
		t.Fatal(err)
	}
	digest := sha256.Sum256(body)
	return ecdsa.VerifyASN1(public.(*ecdsa.PublicKey), digest[:], der)
}

func TestSignaturesVerify(t *testing.T) {
	s := newSigner(t)
	body := []byte(`{"messages":[]}`)
	id, signature, err := s.Sign(body)
	if err != nil || !verifies(t, s.PublicKeys(), id, signature, body) {
		t.Errorf("the signature %s does not verify, %v", signature, err)
	}
	if verifies(t, s.PublicKeys(), id, signature, append(body, '\n')) {
		t.Error("the signature verifies another body")
	}
	// The other side of this package agrees.
	keys, err := extension.FixedKeys(publicPEM(t, s))
	if err != nil {
		t.Fatal(err)
	}
	h := http.Header{"X-Github-Public-Key-Identifier": {id}, "X-Github-Public-Key-Signature": {signature}}
	if err := extension.Verify(t.Context(), keys, h, body); err != nil {
		t.Errorf("Verify = %v", err)
	}
}

func publicPEM(t *testing.T, s *extension.Signer) string {
	t.Helper()
	var published struct {
		Keys []struct{ Key string } `json:"public_keys"`
	}
	if err := json.Unmarshal(s.PublicKeys(), &published); err != nil {
		t.Fatal(err)
	}
	return published.Keys[0].Key
}

func TestSignersAreKept(t *testing.T) {
	s := newSigner(t)
	block, _ := pem.Decode(s.PEM())
	if block == nil || block.Type != "PRIVATE KEY" {
		t.Fatalf("PEM is %s", block.Type)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	sec1, err := x509.MarshalECPrivateKey(parsed.(*ecdsa.PrivateKey))
	if err != nil {
		t.Fatal(err)
	}
	parameters := pem.EncodeToMemory(&pem.Block{Type: "EC PARAMETERS", Bytes: []byte{6, 1, 1}})
	for name, text := range map[string][]byte{
		"PKCS 8":      s.PEM(),
		"of one line": bytes.ReplaceAll(s.PEM(), []byte("\n"), []byte(`\n`)),
		"openssl's":   append(parameters, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: sec1})...),
	} {
		again, err := extension.ParseSigner(text)
		if err != nil || !bytes.Equal(again.PublicKeys(), s.PublicKeys()) {
			t.Errorf("%s: another key, or %v", name, err)
		}
	}
}

func TestWhatIsNoSigner(t *testing.T) {
	other, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(other)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"nothing": "", "a public key": publicPEM(t, newSigner(t)), "broken": "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
		"another curve": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
	} {
		if s, err := extension.ParseSigner([]byte(text)); s != nil || fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v, want an invalid", name, err)
		}
	}
}

func TestKeysArePublished(t *testing.T) {
	s := newSigner(t)
	ask := func(method, etag string) *http.Response {
		r := httptest.NewRequest(method, "/", nil)
		if etag != "" {
			r.Header.Set("If-None-Match", etag)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w.Result()
	}
	first := ask(http.MethodGet, "")
	etag := first.Header.Get("ETag")
	var body bytes.Buffer
	if _, err := body.ReadFrom(first.Body); err != nil || first.StatusCode != 200 || !bytes.Equal(body.Bytes(), s.PublicKeys()) || len(etag) < 10 {
		t.Errorf("GET = %d, %s, %v, etag %s", first.StatusCode, body.String(), err, etag)
	}
	if kind := first.Header.Get("Content-Type"); kind != "application/json; charset=utf-8" {
		t.Errorf("the content type is %s", kind)
	}
	for _, tc := range []struct {
		method, etag string
		want         int
	}{{"GET", etag, 304}, {"GET", `"x", W/` + etag, 304}, {"GET", `"x"`, 200}, {"HEAD", "", 200}, {"POST", "", 405}} {
		if got := ask(tc.method, tc.etag).StatusCode; got != tc.want {
			t.Errorf("%s with %q = %d, want %d", tc.method, tc.etag, got, tc.want)
		}
	}
	if other := newSigner(t); bytes.Equal(other.PublicKeys(), s.PublicKeys()) {
		t.Error("two signers have the same key")
	}
}

// This package's agents can fetch the keys that its signer publishes.
func TestKeysAreFetched(t *testing.T) {
	s := newSigner(t)
	server := httptest.NewServer(s)
	defer server.Close()
	id, _, err := s.Sign(nil)
	if err != nil {
		t.Fatal(err)
	}
	if key, err := extension.FetchKeys(server.URL, server.Client()).Key(t.Context(), id); key == nil || err != nil {
		t.Errorf("Key = %v, %v", key, err)
	}
}
