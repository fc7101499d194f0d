package strict_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest/strict"
)

// send makes a call and returns its answer.
func send(t *testing.T, s *strict.Server, path, body string) (status int, answer string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://fake"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+strict.Key)
	req.Header.Set("Anthropic-Version", "2023-06-01")
	resp, err := s.Transport().RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// dialect is a vendor with a request that it accepts. The tests replace a part of it.
type dialect struct {
	vendor strict.Vendor
	path   string
	good   string
}

var (
	completions = dialect{strict.Chat, "/v1/chat/completions", `{"model":"gpt-5.1","messages":[{"role":"system","content":"s"},{"role":"user","content":"u"},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"a","content":"r"},{"role":"tool","tool_call_id":"b","content":""}],` +
		`"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}],"reasoning_effort":"low"}`}
	responses = dialect{strict.Responses, "/v1/responses", `{"model":"gpt-6.2-sol","store":false,"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"u"}]},` +
		`{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"a","output":"r"}],` +
		`"tools":[{"type":"function","name":"f","parameters":{"type":"object","properties":{}},"strict":false}],"reasoning":{"effort":"low"}}`}
	messages = dialect{strict.Anthropic, "/v1/messages", `{"model":"claude-opus-5-5","max_tokens":100,"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],` +
		`"messages":[{"role":"user","content":[{"type":"text","text":"u"}]},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"b","name":"f","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"r"},{"type":"tool_result","tool_use_id":"b"},{"type":"text","text":"v"}]}],` +
		`"tools":[{"name":"f","input_schema":{"type":"object"}}]}`}
	generate = dialect{strict.Gemini, "/v1beta/models/gemini-2.5-flash:generateContent", `{"systemInstruction":{"parts":[{"text":"s"}]},"contents":[{"role":"user","parts":[{"text":"u"}]},` +
		`{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}},{"functionCall":{"name":"f","args":{}}}]},` +
		`{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}},{"functionResponse":{"name":"f","response":{}}}]}],` +
		`"tools":[{"functionDeclarations":[{"name":"f"}]}],"generationConfig":{}}`}
)

var (
	converse = dialect{strict.Bedrock, "/model/us.anthropic.claude-opus-5-5/converse", `{"system":[{"text":"s"},{"cachePoint":{"type":"default"}}],"messages":[{"role":"user","content":[{"text":"u"}]},` +
		`{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"f","input":{}}},{"toolUse":{"toolUseId":"b","name":"f","input":{}}}]},` +
		`{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"text":"r"}]}},{"toolResult":{"toolUseId":"b","content":[{"text":"r"}]}},{"text":"v"}]}],` +
		`"toolConfig":{"tools":[{"toolSpec":{"name":"f","inputSchema":{"json":{"type":"object"}}}}]},"outputConfig":{"effort":"low"}}`}
	local = dialect{strict.Ollama, "/api/chat", `{"model":"qwen3.5","messages":[{"role":"system","content":"s"},{"role":"user","content":"u"},` +
		`{"role":"assistant","content":"","tool_calls":[{"id":"a","function":{"name":"f","arguments":{}}}]},{"role":"tool","content":"","tool_name":"f"}],` +
		`"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}],"stream":false,"truncate":false,"shift":false,"think":"low","options":{"num_ctx":65536}}`}
)

// long is longer than any id may be.
var long = strings.Repeat("x", 65)

type refusedRequest struct {
	dialect
	old, new string // what is replaced
	why      string // a part of the refusal
}

// refused are requests that differ from one that is accepted in one place.
var refused = []refusedRequest{
	{completions, `{"role":"tool","tool_call_id":"b","content":""}`, `{"role":"user","content":"v"}`, "did not have response messages: b"},
	{completions, `"tool_call_id":"b"`, `"tool_call_id":"c"`, "must be a response to a preceding message"},
	{completions, `"id":"a"`, `"id":"` + long + `"`, "maximum length 40"},
	{completions, `"name":"f","arguments"`, `"name":"f.g","arguments"`, "does not match pattern"},
	{completions, `"content":null,`, `"content":[{"type":"text","text":"t"}],`, "is not a string"},
	{completions, `{"role":"user","content":"u"}`, `{"role":"user","content":[{"type":"text","text":""}]}`, "must be non-empty"},
	{completions, `{"role":"user","content":"u"}`, `{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}`, "unsupported image"},
	{completions, `{"role":"user","content":"u"}`, `{"role":"user","content":[{"type":"file","file":{"filename":"a","file_data":"AAAA"}}]}`, "Expected a base64-encoded data URL"},
	{completions, `{"role":"user","content":"u"}`, `{"role":"assistant","content":null}`, "expected a string, got null"},
	{completions, `"content":null,`, `"content":null,"reasoning_content":"r",`, "reasoning_content"},
	{completions, `,"properties":{}`, ``, "object schema missing properties"},
	{completions, `"properties":{}`, `"properties":{"a":{"type":"array"}}`, "array schema missing items"},
	{completions, `"reasoning_effort":"low"`, `"max_tokens":5`, "Use 'max_completion_tokens'"},
	{completions, `"gpt-5.1"`, `"gpt-5.6-sol"`, "Function tools with reasoning_effort are not supported"},
	{completions, `"gpt-5.1"`, `"gpt-4.1"`, "reasoning_effort"},
	{completions, `"gpt-5.1"`, `"gpt-9"`, "does not exist"},
	{completions, `"reasoning_effort":"low"`, `"effort":"low"`, "Unrecognized request argument supplied: effort"},

	{responses, `,{"type":"function_call_output","call_id":"a","output":"r"}`, ``, "No tool output found for function call a"},
	{responses, `"call_id":"a","output"`, `"call_id":"b","output"`, "No tool call found"},
	{responses, `"call_id":"a","name"`, `"call_id":"` + long + `","name"`, "maximum length 64"},
	{responses, `"arguments":"{}"`, `"arguments":"{"`, "are not JSON"},
	{responses, `"store":false`, `"store":true`, "keeps nothing"},
	{responses, `,"strict":false`, ``, "'additionalProperties' is required"},
	{responses, `"input_text"`, `"output_text"`, "Supported values are"},
	{responses, `{"type":"function_call_output"`, `{"type":"reasoning","summary":[],"encrypted_content":"made up"},{"type":"function_call_output"`, "could not be verified"},
	{responses, `{"type":"function_call_output"`, `{"type":"reasoning","id":"rs_1","summary":[]},{"type":"function_call_output"`, "Items are not persisted"},
	{responses, `"effort":"low"`, `"effort":"none"`, "Unsupported value: 'none'"},
	{responses, `"reasoning":{"effort":"low"}`, `"temperature":1`, "Unsupported parameter"},
	{responses, `"reasoning":{"effort":"low"}`, `"prompt_cache_key":"` + long + `"`, "maximum length 64"},
	{responses, `"reasoning":{"effort":"low"}`, `"stop":["a"]`, "Unknown parameter: 'stop'"},

	{messages, `"max_tokens":100,`, ``, "max_tokens: Field required"},
	{messages, `{"type":"tool_result","tool_use_id":"b"},`, ``, "were found without `tool_result` blocks immediately after: b"},
	{messages, `"tool_use_id":"b"`, `"tool_use_id":"c"`, "unexpected `tool_use_id`"},
	{messages, `{"type":"tool_result","tool_use_id":"b"},{"type":"text","text":"v"}`, `{"type":"text","text":"v"},{"type":"tool_result","tool_use_id":"b"}`, "must come first"},
	{messages, `"text":"v"`, `"text":" "`, "non-whitespace"},
	{messages, `"id":"a"`, `"id":"a|b"`, "should match pattern"},
	{messages, `"id":"b"`, `"id":"a"`, "must be unique"},
	{messages, `"input":{}`, `"input":"{}"`, "valid dictionary"},
	{messages, `{"role":"user","content":[{"type":"text","text":"u"}]},`, ``, "first message must use"},
	{messages, `"role":"assistant"`, `"role":"user"`, "roles must alternate"},
	{messages, `{"type":"tool_use","id":"a"`, `{"type":"thinking","thinking":"t","signature":"made up"},{"type":"tool_use","id":"a"`, "Invalid `signature`"},
	{messages, `"max_tokens":100,`, `"max_tokens":3000,"thinking":{"type":"enabled","budget_tokens":2000},`, "'enabled' is not supported"},
	{messages, `"model":"claude-opus-5-5","max_tokens":100,`, `"model":"claude-sonnet-4-5","max_tokens":3000,"thinking":{"type":"enabled","budget_tokens":2000},`, "must start with a thinking block"},
	{messages, `"model":"claude-opus-5-5","max_tokens":100,`, `"model":"claude-sonnet-4-5","max_tokens":3000,"thinking":{"type":"enabled","budget_tokens":1000},`, "greater than or equal to 1024"},
	{messages, `"max_tokens":100,`, `"max_tokens":100,"temperature":1,`, "not supported"},
	{messages, `"max_tokens":100,`, `"max_tokens":100,"output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}},`, "must be explicitly set to false"},
	{messages, `"input_schema":{"type":"object"}`, `"input_schema":{"type":"object","oneOf":[]}`, "does not support oneOf"},
	{messages, `{"type":"text","text":"v"}`, `{"type":"image","source":{"type":"base64","media_type":"image/bmp","data":"AAAA"}}`, "does not match the provided media type"},
	{messages, `{"type":"text","text":"v"}`, strings.TrimSuffix(strings.Repeat(`{"type":"text","text":"v","cache_control":{"type":"ephemeral"}},`, 4), ","), "maximum of 4 blocks"},

	{generate, `,{"functionResponse":{"name":"f","response":{}}}]`, `]`, "number of function response parts"},
	{generate, `{"functionResponse":{"name":"f","response":{}}}]`, `{"functionResponse":{"name":"f","response":{}}},{"text":"v"}]`, "number of function response parts"},
	{generate, `{"functionResponse":{"name":"f"`, `{"functionResponse":{"name":"g"`, "immediately after a function call turn"},
	{generate, `{"functionResponse":{"name":"f"`, `{"functionResponse":{"id":"fc1","name":"f"`, "immediately after a function call turn"},
	{generate, `{"functionCall":{"name":"f"`, `{"functionCall":{"id":"made up","name":"f"`, "is of no call"},
	{generate, `{"role":"user","parts":[{"text":"u"}]},`, ``, "function call turn comes immediately after a user turn"},
	{generate, `"args":{}`, `"args":"{}"`, "function_call"},
	{generate, `{"text":"u"}`, `{"text":""}`, "must have a text parameter"},
	{generate, `{"text":"u"}`, `{"text":"u","thoughtSignature":"made up"}`, "Corrupted thought signature"},
	{generate, `{"text":"u"}`, `{"inlineData":{"mimeType":"image/bmp","data":"AAAA"}}`, "Unsupported MIME type"},
	{generate, `"functionDeclarations":[{"name":"f"`, `"functionDeclarations":[{"name":"1f"`, "Invalid function name"},
	{generate, `"functionDeclarations":[{"name":"f"`, `"functionDeclarations":[{"name":"f","parametersJsonSchema":{"type":"object","properties":{}}`, "should be non-empty for OBJECT type"},
	{generate, `"generationConfig":{}`, `"generationConfig":{"thinkingConfig":{"thinkingLevel":"low"}}`, "Thinking level is not supported"},
	{generate, `"generationConfig":{}`, `"generationConfig":{"max_tokens":1}`, `Unknown name "max_tokens"`},
}

// refusedByOthers are more of them.
var refusedByOthers = []refusedRequest{
	{converse, `{"toolResult":{"toolUseId":"b","content":[{"text":"r"}]}},`, ``, "Expected toolResult blocks at messages.2.content for the following Ids: b"},
	{converse, `{"toolResult":{"toolUseId":"b"`, `{"toolResult":{"toolUseId":"c"`, "exceeds the number of toolUse blocks"},
	{converse, `"content":[{"text":"r"}]`, `"content":[{"text":" "}]`, "is blank"},
	{converse, `{"text":"v"}`, `{"text":" "}`, "is blank"},
	{converse, `{"text":"v"}`, `{"document":{"format":"pdf","name":"a.pdf","source":{"bytes":"JVBERi0="}}}`, "file name can only contain"},
	{converse, `{"text":"v"}`, `{"document":{"format":"pdf","name":"a","source":{"bytes":"JVBERi0="}}}`, "A text block must be included"},
	{converse, `"role":"assistant"`, `"role":"user"`, "must alternate"},
	{converse, `{"role":"user","content":[{"text":"u"}]},`, ``, "must start with a user message"},
	{converse, `{"toolUse":{"toolUseId":"a"`, `{"reasoningContent":{"reasoningText":{"text":"t","signature":"made up"}}},{"toolUse":{"toolUseId":"a"`, "Invalid `signature`"},
	{converse, `"toolConfig":{"tools":[{"toolSpec":{"name":"f","inputSchema":{"json":{"type":"object"}}}}]},`, ``, "toolConfig field must be defined"},
	{converse, `{"type":"object"}`, `{}`, "must be one of the following: object"},
	{converse, `"effort":"low"`, `"effort":"none"`, "effort"},
	{converse, `"outputConfig"`, `"max_tokens":1,"outputConfig"`, "unknown field"},

	{local, `"options":{"num_ctx":65536}`, `"options":{}`, "cuts the prompt off"},
	{local, `"shift":false`, `"shift":true`, "cuts the prompt off"},
	{local, `"think":"low"`, `"think":"minimal"`, "invalid think value"},
	{local, `"arguments":{}`, `"arguments":"{}"`, "cannot unmarshal string"},
	{local, `,{"role":"tool","content":"","tool_name":"f"}`, ``, "have no results"},
	{local, `"tool_name":"f"`, `"tool_name":"g"`, "was not called"},
	{local, `"qwen3.5"`, `"llama2"`, "does not support tools"},
	{local, `"qwen3.5"`, `"qwen9"`, "not found"},
	{local, `{"role":"user","content":"u"}`, `{"role":"user","content":"u","images":["AAAA"]}`, "unknown format"},
	{local, `"stream":false`, `"stream":false,"max_tokens":1`, "would ignore it"},
}

// Each request is refused for the place in which it differs from one that is accepted.
func TestWhatIsRefused(t *testing.T) {
	for _, tc := range append(refused, refusedByOthers...) {
		bad := strings.Replace(tc.good, tc.old, tc.new, 1)
		if bad == tc.good {
			t.Errorf("%s: %s is not in the request", tc.vendor, tc.old)
			continue
		}
		s := strict.New(tc.vendor, strict.Say("a"), strict.Say("b"))
		status, answer := send(t, s, tc.path, bad)
		var message string
		if said := s.Refused(); len(said) == 1 {
			message = said[0]
		}
		quoted, err := json.Marshal(message)
		if err != nil || status < 400 || status >= 500 || !strings.Contains(message, tc.why) || !strings.Contains(unescaped(answer), unescaped(string(quoted))) {
			t.Errorf("%s with %s: %d %s, want %q", tc.vendor, tc.new, status, answer, tc.why)
		}
		if status, answer := send(t, s, tc.path, tc.good); status != 200 {
			t.Errorf("%s refuses the good request: %s", tc.vendor, answer)
		}
		s.Close()
	}
}

// unescaped undoes what encoding/json escapes for HTML.
func unescaped(text string) string {
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(text)
}

// Signed reasoning comes back only as it was given out: unchanged, in its place, to its model, and
// after the same prompt.
func TestSignedReasoning(t *testing.T) {
	const question = `{"model":"claude-opus-5-5","max_tokens":100,"thinking":{"type":"adaptive","display":"summarized"},"messages":[{"role":"user","content":"Hello"}`
	s := strict.New(strict.Anthropic, strict.Reply{Parts: []strict.Part{{Reasoning: "Hm."}, {Text: "Hi."}, {Reasoning: "Well."}, {Text: "Bye."}}})
	defer s.Close()
	_, answer := send(t, s, "/v1/messages", question+`]}`)
	var m struct{ Content []json.RawMessage }
	if err := json.Unmarshal([]byte(answer), &m); err != nil || len(m.Content) != 4 {
		t.Fatalf("%v: %s", err, answer)
	}
	first, second := string(m.Content[0]), string(m.Content[2])
	again := func(begin string, blocks ...string) string {
		return begin + `,{"role":"assistant","content":[` + strings.Join(blocks, ",") + `]},{"role":"user","content":"And?"}]}`
	}
	text := `{"type":"text","text":"Hi."}`
	for _, tc := range []struct{ name, body, why string }{
		{"as it came", again(question, first, text, second, text), ""},
		{"without any", again(question, text, text), ""},
		{"after another prompt", again(strings.Replace(question, "Hello", "Hallo", 1), first, text, second), "bound to a different conversation"},
		{"changed", again(question, strings.Replace(first, "Hm.", "Hmm.", 1), text, second), "Invalid `signature`"},
		{"one left out", again(question, first, text), "were left out"},
	} {
		s.Add(strict.Say("Yes."))
		if status, answer := send(t, s, "/v1/messages", tc.body); (status == 200) != (tc.why == "") || !strings.Contains(answer, tc.why) {
			t.Errorf("%s: %d %s", tc.name, status, answer)
		}
	}
}

// A script of failures is answered with the vendor's own errors, and a wrong key before any.
func TestFailures(t *testing.T) {
	for _, d := range []dialect{completions, responses, messages, generate, converse, local} {
		failures := []strict.Failure{
			strict.WrongKey, strict.NoAccess, strict.TooFast, strict.TooLong, strict.Overloaded, strict.Broken, strict.NoSuchModel,
		}
		if d.vendor != strict.Ollama { // which has neither
			failures = append(failures, strict.NoCredit, strict.Flagged)
		}
		s := strict.New(d.vendor)
		seen := map[string]bool{}
		for _, f := range failures {
			s.Add(strict.Reply{Fail: f})
			status, answer := send(t, s, d.path, d.good)
			inAnswer := d.vendor == strict.Gemini && f == strict.Flagged // which says so in an answer
			if status < 400 && !inAnswer || seen[answer] || !json.Valid([]byte(answer)) {
				t.Errorf("%s: failure %d is %d %s", d.vendor, f, status, answer)
			}
			seen[answer] = true
		}
		if said := s.Refused(); len(said) > 0 || s.Left() > 0 {
			t.Errorf("%s refused %q", d.vendor, said)
		}
		s.Close()
	}
}
