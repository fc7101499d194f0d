package chat

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// lines are data lines of the kinds that fill a stream, by provider.
var lines = map[string]string{
	"OpenAI": `{"id":"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT","object":"chat.completion.chunk","created":1741569952,"model":"gpt-5","service_tier":"default",` +
		`"system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":" hello"},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"aX9"}`,
	"call":       `{"id":"c","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"a","type":"function","function":{"name":"grep","arguments":"{\"p\":\"\\n\"}"}}]},"finish_reason":null}]}`,
	"reasoning":  `{"id":"c","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning_content":"hm\u2026 \u00e9","tool_calls":null},"finish_reason":null}]}`,
	"Copilot":    `{"id":"c","model":"m","choices":[{"index":0,"delta":{"role":"assistant","reasoning_text":"hm","reasoning_opaque":"x/+="},"finish_reason":null}]}`,
	"OpenRouter": `{"id":"gen-1","provider":"x","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"日本"},"finish_reason":"stop","native_finish_reason":"STOP","logprobs":null}]}`,
	"spaced":     ` { "id" : "c" , "choices" : [ { "index" : 0 , "delta" : { "content" : "\/\b\f\r\t" } } , {"delta":{}} ] } `,
	"skipped":    `{"x":[1,-2.5e+3,{"y":[true,false,null,"z\"",0.5,[]]},{}],"choices":[],"error":null}`,
}

func TestCommonLinesTakeTheFastPath(t *testing.T) {
	var s chunkScanner
	for name, line := range lines {
		if _, ok := s.scan([]byte(line)); !ok {
			t.Errorf("%s: the scanner gave up on %s", name, line)
		}
	}
}

// odd are lines on which scanner and decoder might part.
var odd = []string{
	``, ` `, `{`, `{}`, `{} `, `{}x`, `[]`, `null`, `{"id":"a","id":"b"}`, `{"ID":"a"}`, `{"\u0069d":"a"}`, `{"iſ":1}`,
	`{"choices":[{"delta":{"content":"a"},"delta":{"refusal":"b"}}]}`, `{"choices":[{"index":-1}]}`, `{"choices":[{"index":01}]}`,
	`{"choices":[{"index":1.0}]}`, `{"choices":[{"index":1e2}]}`, `{"choices":[{"index":12345678901}]}`, `{"choices":[{"index":null}]}`,
	`{"copilot_usage":{"total_nano_aiu":5}}`, `{"Copilot_Usage":{"total_nano_aiu":5}}`, `{"copilot_usage":null}`, `{"choices":[null]}`, `{"choices":{}}`, `{"choices":null}`, `{"choices":[{"delta":null}]}`, `{"choices":[{"message":{"content":"x"}}]}`,
	`{"choices":[{"delta":{"content":"\ud83d\ude00 \ud83d \u0000"}}]}`, "{\"choices\":[{\"delta\":{\"content\":\"\xff\"}}]}", "{\"id\":\"\x01\"}",
	"{\"choices\":[{\"delta\":{\"content\":\"\\u00e\xff\"}}]}", `{"choices":[{"delta":{"content":"\x"}}]}`, `{"choices":[{"delta":{"content":"a`, `{"x":"\ud83d"}`,
	`{"x":-}`, `{"x":1.}`, `{"x":.5}`, `{"x":1e}`, `{"x":00}`, `{"x":tru}`, `{"x":nullx}`, `{"x":1 2}`, `{"x":[1,]}`, `{"x":1,}`, `{,}`,
	`{"x":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`, "{\"id\":\"a\"}\x00", `{"id":7}`, `{"usage":{"prompt_tokens":1}}`,
	`{"choices":[{"delta":{"reasoning_opaque":"a","reasoning_opaque":"b"}}]}`, `{"choices":[{"delta":{"reasoning_opaque":null}}]}`, `{"choices":[{"delta":{"reasoning_opaque":7}}]}`,
	`{"choices":[{"delta":{"reasoning":"a","reasoning_text":"b"}}]}`, `{"choices":[{"delta":{"reasoning":null,"reasoning_text":"b"}}]}`,
	`{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":{"a":1}}},{}]}}]}`, `{"choices":[{"delta":{"content":[{"text":"a"}]}}]}`,
}

// agree checks that a line the scanner accepts means the same to the decoder.
func agree(t *testing.T, s *chunkScanner, line []byte) {
	t.Helper()
	fast, ok := s.scan(line)
	if !ok {
		return
	}
	slow, err := decodeChunk(line)
	if err != nil {
		t.Fatalf("the scanner accepts %q, the decoder does not: %v", line, err)
	}
	if d := cmp.Diff(slow, fast, cmpopts.EquateEmpty()); d != "" {
		t.Fatalf("%q means two things (-decoder +scanner):\n%s", line, d)
	}
}

func TestScannerAndDecoderAgree(t *testing.T) {
	var s chunkScanner // one for all, as in a stream
	for _, line := range lines {
		agree(t, &s, []byte(line))
		for i := range line { // and cut anywhere
			agree(t, &s, []byte(line[:i]))
		}
	}
	for _, line := range odd {
		agree(t, &s, []byte(line))
	}
}

// FuzzChunk checks that the two ways to read a line agree, and that neither
// panics, after any earlier input.
func FuzzChunk(f *testing.F) {
	for _, line := range lines {
		f.Add([]byte(line), []byte(`{"id":"x"}`))
	}
	for _, line := range odd {
		f.Add([]byte(line), []byte(lines["call"]))
	}
	f.Fuzz(func(t *testing.T, line, before []byte) {
		var s chunkScanner
		agree(t, &s, before)
		agree(t, &s, line)
		if c, err := decodeChunk(line); err == nil {
			m := merger{}
			if m.add(c) == nil {
				m.response()
			}
		}
	})
}
