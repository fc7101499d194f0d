package main

import (
	"fmt"
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
	// text, call and end write an event with a piece of text, with a call, and the last ones of an answer.
	text func(a answer, text string)
	call func(a answer)
	end  func(a answer, called bool)
}

// dialects are all of them, the usual one first.
func dialects() []dialect {
	return []dialect{chatDialect(), responsesDialect(), anthropicDialect(), geminiDialect()}
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
		name: "gemini", model: "gemini:" + modelName, result: `"functionResponse"`,
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

// begin writes the head of an Anthropic answer and of its only block, once.
func (a answer) begin(block string) {
	if *a.begun {
		return
	}
	*a.begun = true
	a.event(`{"type":"message_start","message":{"type":"message","id":"msg_%d","role":"assistant","model":"%s","content":[],"usage":{"input_tokens":10,"output_tokens":1}}}`, a.number, modelName)
	a.event(`{"type":"content_block_start","index":0,"content_block":%s}`, block)
}
