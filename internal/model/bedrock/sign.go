package bedrock

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// sign signs a request with Signature Version 4: its method, address and the digest of its body, the time, and
// the headers that AWS wants to be signed. Others, such as User-Agent, may be changed by
// proxies.
// Source: the AWS IAM user guide, "Create a signed AWS API request".
func sign(req *http.Request, digest string, keys model.AWS, service string, now time.Time) {
	stamp := now.UTC().Format("20060102T150405Z")
	req.Header.Set("X-Amz-Date", stamp)
	if keys.SessionToken != "" {
		req.Header.Set("X-Amz-Security-Token", keys.SessionToken)
	}
	names, headers := signedHeaders(req)
	canonical := strings.Join([]string{
		req.Method, escaped(cmp.Or(req.URL.EscapedPath(), "/"), true), canonicalQuery(req.URL.Query()), headers, names, digest,
	}, "\n")
	day := stamp[:len("20060102")]
	scope := strings.Join([]string{day, keys.Region, service, "aws4_request"}, "/")
	key := []byte("AWS4" + keys.Secret)
	for _, part := range []string{day, keys.Region, service, "aws4_request"} {
		key = mac(key, part)
	}
	signature := hex.EncodeToString(mac(key, strings.Join([]string{"AWS4-HMAC-SHA256", stamp, scope, hexSum([]byte(canonical))}, "\n")))
	req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+keys.KeyID+"/"+scope+", SignedHeaders="+names+", Signature="+signature)
}

// signedHeaders returns the names of the headers that are signed, and a line for each.
func signedHeaders(req *http.Request) (names, lines string) {
	values := map[string]string{"host": cmp.Or(req.Host, req.URL.Host)}
	for name, list := range req.Header {
		if name = strings.ToLower(name); name == "content-type" || strings.HasPrefix(name, "x-amz-") {
			var folded []string
			for _, v := range list {
				folded = append(folded, strings.Join(strings.Fields(v), " "))
			}
			values[name] = strings.Join(folded, ",")
		}
	}
	sorted := slices.Sorted(maps.Keys(values))
	var b strings.Builder
	for _, name := range sorted {
		b.WriteString(name + ":" + values[name] + "\n")
	}
	return strings.Join(sorted, ";"), b.String()
}

func canonicalQuery(query url.Values) string {
	var parts []string
	for name, values := range query {
		for _, v := range values {
			parts = append(parts, escaped(name, false)+"="+escaped(v, false))
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, "&")
}

// escaped is the percent-encoding of AWS: of everything but letters, digits and -_.~, and of
// slashes unless they are kept.
func escaped(text string, slashes bool) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		plain := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_.~", c) >= 0
		if plain || c == '/' && slashes {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
	return b.String()
}

// sum is the digest of a body.
func sum(body *model.Body) string {
	h := sha256.New()
	_, _ = body.WriteTo(h) // a hash does not fail
	return hex.EncodeToString(h.Sum(nil))
}

func hexSum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}
