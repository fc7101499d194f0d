package main

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	copilot "github.com/github/copilot-sdk/go"
)

// dialect is a protocol in which the runtime calls the scripted model.
type dialect struct {
	name string
	// provider and model are those of a session; env is of the runtime. url is where the model is.
	provider func(url string) *copilot.ProviderConfig
	model    string
	env      func(url string) []string
	result   string // begins the result of a tool in a request
	media    string // of a stream; "" is server-sent events
	stream   string // ends the path of a request for a stream; "" if its body says that it wants one
	// text, call and end write an event with a piece of text, with a call, and the last ones of an answer.
	text func(a answer, text string)
	call func(a answer)
	end  func(a answer, called bool)
}

// dialects are all of them, the usual one first.
func dialects() []dialect {
	return []dialect{chatDialect(), responsesDialect(), anthropicDialect(), geminiDialect(), bedrockDialect(), ollamaDialect()}
}

func chatDialect() dialect {
	return dialect{
		name: "chat", provider: client("openai", ""), model: modelName, result: `"role":"tool"`,
		text: func(a answer, text string) {
			a.chunk(`"role":"assistant","content":"`+text+`"`, "null", "")
		},
		call: func(a answer) {
			a.chunk(`"role":"assistant","content":null,"tool_calls":[`+a.toolCall(`"index":0,`)+`]`, "null", "")
		},
		end: func(a answer, called bool) {
			reason := "stop"
			if called {
				reason = "tool_calls"
			}
			a.chunk("", `"`+reason+`"`, ","+usage)
			io.WriteString(a.w, "data: [DONE]\n\n")
		},
	}
}

func responsesDialect() dialect {
	return dialect{
		name: "responses", provider: client("openai", "responses"), model: modelName, result: `"type":"function_call_output"`,
		text: func(a answer, text string) {
			a.event(`{"type":"response.output_text.delta","item_id":"msg_%d","output_index":0,"content_index":0,"delta":"%s"}`, a.number, text)
		},
		call: func(a answer) {
			a.event(`{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"fc_%d","call_id":"call_%d","name":"%s","arguments":"{\"text\":\"x\"}","status":"completed"}}`,
				a.number, a.number, toolName)
		},
		end: func(a answer, _ bool) {
			a.event(`{"type":"response.completed","response":{"id":"resp_%d","object":"response","status":"completed","output":[],"usage":{"input_tokens":10,"output_tokens":5}}}`, a.number)
		},
	}
}

func anthropicDialect() dialect {
	return dialect{
		name: "anthropic", provider: client("anthropic", ""), model: modelName, result: `"type":"tool_result"`,
		text: func(a answer, text string) {
			a.begin(`{"type":"text","text":""}`)
			a.event(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"%s"}}`, text)
		},
		call: func(a answer) {
			a.begin(fmt.Sprintf(`{"type":"tool_use","id":"call_%d","name":%q,"input":{}}`, a.number, toolName))
			a.event(`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"text\":\"x\"}"}}`)
		},
		end: func(a answer, called bool) {
			reason := "end_turn"
			if called {
				reason = "tool_use"
			}
			a.event(`{"type":"content_block_stop","index":0}`)
			a.event(`{"type":"message_delta","delta":{"stop_reason":"%s"},"usage":{"output_tokens":5}}`, reason)
			a.event(`{"type":"message_stop"}`)
		},
	}
}

func geminiDialect() dialect {
	return dialect{
		name: "gemini", model: "gemini:" + modelName, result: `"functionResponse"`, stream: ":streamGenerateContent",
		env: func(url string) []string {
			return []string{"GOOGLE_GEMINI_BASE_URL=" + strings.TrimSuffix(url, "/v1"), "GEMINI_API_KEY=none"}
		},
		text: func(a answer, text string) {
			a.event(`{"candidates":[{"content":{"role":"model","parts":[{"text":"%s"}]},"index":0}],"modelVersion":"%s","responseId":"r%d"}`, text, modelName, a.number)
		},
		call: func(a answer) {
			a.event(`{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"%s","args":{"text":"x"}},"thoughtSignature":"U0lH"}]},"index":0}],"responseId":"r%d"}`, toolName, a.number)
		},
		end: func(a answer, _ bool) {
			a.event(`{"candidates":[{"content":{"role":"model","parts":[]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":5}}`)
		},
	}
}

func bedrockDialect() dialect {
	return dialect{
		name: "bedrock", model: "bedrock:" + modelName, result: `"toolResult"`, media: "application/vnd.amazon.eventstream", stream: "/converse-stream",
		env: func(url string) []string {
			return []string{"AWS_ENDPOINT_URL_BEDROCK_RUNTIME=" + strings.TrimSuffix(url, "/v1"), "AWS_BEARER_TOKEN_BEDROCK=none", "AWS_REGION=us-east-1"}
		},
		text: func(a answer, text string) {
			a.frame("contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":"%s"}}`, text)
		},
		call: func(a answer) {
			a.frame("contentBlockStart", `{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"call_%d","name":"%s"}}}`, a.number, toolName)
			a.frame("contentBlockDelta", `{"contentBlockIndex":0,"delta":{"toolUse":{"input":"{\"text\":\"x\"}"}}}`)
		},
		end: func(a answer, called bool) {
			reason := "end_turn"
			if called {
				reason = "tool_use"
			}
			a.frame("contentBlockStop", `{"contentBlockIndex":0}`)
			a.frame("messageStop", `{"stopReason":"%s"}`, reason)
			a.frame("metadata", `{"usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15}}`)
		},
	}
}

func ollamaDialect() dialect {
	return dialect{
		name: "ollama", model: "ollama:" + modelName, result: `"role":"tool"`, media: "application/x-ndjson", stream: "/api/chat",
		env: func(url string) []string { return []string{"OLLAMA_HOST=" + strings.TrimSuffix(url, "/v1")} },
		text: func(a answer, text string) {
			a.line(`{"model":"%s","message":{"role":"assistant","content":"%s"},"done":false}`, modelName, text)
		},
		call: func(a answer) {
			a.line(`{"model":"%s","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"%s","arguments":{"text":"x"}}}]},"done":false}`, modelName, toolName)
		},
		end: func(a answer, _ bool) {
			a.line(`{"model":"%s","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":10,"eval_count":5}`, modelName)
		},
	}
}

// client is the provider that a client of the SDK configures.
func client(kind, wireAPI string) func(url string) *copilot.ProviderConfig {
	return func(url string) *copilot.ProviderConfig {
		if kind == "anthropic" {
			url = strings.TrimSuffix(url, "/v1") // as that SDK takes it
		}
		return &copilot.ProviderConfig{Type: kind, WireAPI: wireAPI, BaseURL: url, APIKey: "none"}
	}
}

// dialectNamed returns a dialect by its name.
func dialectNamed(name string) (dialect, error) {
	var names []string
	for _, d := range dialects() {
		if d.name == name {
			return d, nil
		}
		names = append(names, d.name)
	}
	return dialect{}, fmt.Errorf("there is no dialect %q; choose from %s", name, strings.Join(names, ", "))
}

// event writes one server-sent event. The format is of JSON.
func (a answer) event(format string, args ...any) {
	io.WriteString(a.w, "data: ")
	fmt.Fprintf(a.w, format, args...)
	io.WriteString(a.w, "\n\n")
}

// line writes one line of JSON.
func (a answer) line(format string, args ...any) { fmt.Fprintf(a.w, format+"\n", args...) }

// frame writes one event of AWS: lengths, checksums and three headers around the JSON.
// Source: the Smithy specification, "Amazon Event Stream".
func (a answer) frame(kind, format string, args ...any) {
	payload := fmt.Sprintf(format, args...)
	headers := ""
	for _, h := range [][2]string{{":event-type", kind}, {":content-type", "application/json"}, {":message-type", "event"}} {
		headers += string(rune(len(h[0]))) + h[0] + "\x07" + string([]byte{0, byte(len(h[1]))}) + h[1]
	}
	b := binary.BigEndian.AppendUint32(nil, uint32(16+len(headers)+len(payload)))
	b = binary.BigEndian.AppendUint32(b, uint32(len(headers)))
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	b = append(append(b, headers...), payload...)
	_, _ = a.w.Write(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))) // a runtime that has gone is noticed by it
}

// begin writes the head of an Anthropic answer and of its only block, once.
func (a answer) begin(block string) {
	if *a.begun {
		return
	}
	*a.begun = true
	a.event(`{"type":"message_start","message":{"type":"message","id":"msg_%d","role":"assistant","model":"%s","content":[],"usage":{"input_tokens":10,"output_tokens":1}}}`, a.number, modelName)
	a.event(`{"type":"content_block_start","index":0,"content_block":%s}`, block)
}
