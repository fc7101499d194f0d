package obs_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/obs"
)

func TestSecretsInAddressesAndHeaders(t *testing.T) {
	for _, tc := range []struct{ name, address, header, value, text, want string }{
		{name: "a password", address: "https://me:hunter2hunter2@x.test/", text: "hunter2hunter2 me x.test", want: "«redacted» me x.test"},
		{name: "an escaped password", address: "http://me:a%2Fb%40cdefgh@x", text: "a/b@cdefgh a%2Fb%40cdefgh a%2fb%40cdefgh", want: "«redacted» «redacted» «redacted»"},
		{name: "a key", address: "https://x.test/v1?api_key=12345678&v=2026-01-01#k", text: "12345678 2026-01-01", want: "«redacted» 2026-01-01"},
		{name: "a signature", address: "https://x.test/?sv=abcdefgh1&sig=ab%2Bcdefgh", text: "ab+cdefgh abcdefgh1", want: "«redacted» abcdefgh1"},
		{name: "a broken address", address: "http://u:hunter2hunter2@[::1/?key=12345678", text: "hunter2hunter2 12345678", want: "«redacted» «redacted»"},
		{name: "no address", address: "12345678", text: "12345678", want: "12345678"},
		{name: "a bearer", header: "authorization", value: "Bearer 12345678", text: "12345678 Bearer", want: "«redacted» Bearer"},
		{name: "basic", header: "Authorization", value: "Basic " + base64.StdEncoding.EncodeToString([]byte("me:hunter2hunter2")), text: "hunter2hunter2 me", want: "«redacted» me"},
		{name: "a key's header", header: "X-Api-Key", value: "12345678", text: "12345678", want: "«redacted»"},
		{name: "a harmless header", header: "content-type", value: "application/json", text: "application/json", want: "application/json"},
		{name: "a header of any name", header: "X-Access", value: "12345678", text: "12345678", want: "«redacted»"},
		{name: "a key before a word", header: "X-Custom", value: "sk-0123456789abcdef of mine", text: "sk-0123456789abcdef", want: "«redacted»"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var r obs.Redactor
			r.AddURL(tc.address)
			r.AddHeader(tc.header, tc.value)
			if got := r.Redact(tc.text); got != tc.want {
				t.Errorf("Redact(%q) = %q, want %q", tc.text, got, tc.want)
			}
		})
	}
}

// A child knows what its parent learns, and the parent nothing of the child.
func TestAChildKnowsMore(t *testing.T) {
	var parent obs.Redactor
	child := parent.Child()
	child.Add("of-the-child")
	parent.Add("of-the-parent")
	const text = "of-the-child of-the-parent"
	if got := child.Redact(text); got != "«redacted» «redacted»" {
		t.Errorf("the child: %q", got)
	}
	if got := parent.Redact(text); got != "of-the-child «redacted»" {
		t.Errorf("the parent: %q", got)
	}
	if got := (*obs.Redactor)(nil).Child().Redact(text); got != text {
		t.Errorf("without a parent: %q", got)
	}
}

func TestTheBeginningOfASecretInATextThatWasCut(t *testing.T) {
	var r obs.Redactor
	r.Add("0123456789abcdef")
	for text, want := range map[string]string{
		"wrong: 0123456789…": "wrong: «redacted»…", "wrong: 01234567": "wrong: «redacted»", "wrong: 0123456…": "wrong: 0123456…",
		"0123456789 is wrong": "0123456789 is wrong", "0123456789abcdef 0123456789": "«redacted» «redacted»",
	} {
		if got := r.RedactExcerpt(text); got != want {
			t.Errorf("RedactExcerpt(%q) = %q, want %q", text, got, want)
		}
	}
}

// Events stay events: only strings change that are no names of fields, and conversations keep
// words that somebody has taken for a key.
func TestRedactData(t *testing.T) {
	for _, tc := range []struct {
		name, secret, data string
		conversation       bool
		want               string
	}{
		{"a text", "sk-0123456789abcdef", `{"content":"a sk-0123456789abcdef"}`, true, `{"content":"a «redacted»"}`},
		{"a number", "1234567890123456", `{"n":1234567890123456,"s":"1234567890123456"}`, false, `{"n":1234567890123456,"s":"«redacted»"}`},
		{"a name", "messageId", `{"messageId":"messageId", "x" : ["messageId"]}`, false, `{"messageId":"«redacted»", "x" : ["«redacted»"]}`},
		{"a name that is a key", "sk-0123456789abcdef", `{"models":{"sk-0123456789abcdef":{"n":1}}}`, true, `{"models":{"«redacted»":{"n":1}}}`},
		{"escaped characters", "sk-0123456789/abcdef", `{"a\n\u0073k-0123456789\/abcd\u0065f\t":"\u0073k-0123456789/abcdefx\u00e9 \ud83d\ude00 \u12"}`, true, `{"a\n«redacted»\t":"«redacted»x\u00e9 \ud83d\ude00 \u12"}`},
		{"escapes in a string of JSON", "sk-0123456789abcdef", `{"arguments":"{\"k\":\"\\u0073k-0123456789abcdef\\n\"}"}`, true, `{"arguments":"{\"k\":\"«redacted»\\n\"}"}`},
		{"escapes of other characters", "sk-\U0001F6000123456789abcdef", `{"s":"sk-\ud83d\ude000123456789abcdef","t":"\\n"}`, true, `{"s":"«redacted»","t":"\\n"}`},
		{"several escaped", "sk-0123456789abcdef", `["\u0073k-0123456789abcdef \u0073k-0123456789abcdef"]`, true, `["«redacted» «redacted»"]`},
		{"a quote in it", `ab"cd\ef0123456`, `{"s":"ab\"cd\\ef0123456","t":"\\\"x"}`, false, `{"s":"«redacted»","t":"\\\"x"}`},
		{"a word in a conversation", "whatever", `{"s":"whatever"}`, true, `{"s":"whatever"}`},
		{"a word in an error", "whatever", `{"s":"whatever"}`, false, `{"s":"«redacted»"}`},
		{"a long word", "passwordpasswordpassword", `{"s":"passwordpasswordpassword"}`, true, `{"s":"passwordpasswordpassword"}`},
		{"no JSON", "sk-0123456789abcdef", `"sk-0123456789abcdef`, true, `"«redacted»`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var r obs.Redactor
			r.Add(tc.secret)
			got := string(r.RedactData([]byte(tc.data), tc.conversation))
			if got != tc.want || json.Valid([]byte(tc.data)) != json.Valid([]byte(got)) {
				t.Errorf("RedactData(%s) = %s, want %s", tc.data, got, tc.want)
			}
		})
	}
}

// BenchmarkRedactData measures what each event pays, with the secrets of a process and of one
// client, none of which is in it.
func BenchmarkRedactData(b *testing.B) {
	var process obs.Redactor
	process.Add("sk-proj-0123456789abcdefghijklmnopqrstuvwxyz")
	process.Add("ghp_0123456789abcdefghijklmnopqrstuvwx")
	process.Add("0123456789abcdef0123456789abcdef")
	r := process.Child()
	r.Add("sk-client-0123456789abcdefghijklmnopqrstuvwxyz")
	for name, text := range map[string]string{"300 B": "word ", "256 KiB": strings.Repeat("func main() { x := 1 }\n", 190)} {
		data := []byte(`{"content":"` + strings.Repeat(text, 60) + `"}`)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				r.RedactData(data, true)
			}
		})
	}
	b.Run("with escapes", func(b *testing.B) {
		data := []byte(`{"content":"` + strings.Repeat(`if a \u003c b {\n`, 1000) + `"}`)
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			r.RedactData(data, true)
		}
	})
	b.Run("a delta", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r.RedactPiece(" a word")
		}
	})
}
