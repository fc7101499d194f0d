package server_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// canary is a key with characters that each encoding writes differently.
const canary = `sk-canary/01+23"45<67&89abcdef`

// TestNoKeyOfAClientComesBack is a matrix: where a client's credential enters, times what a
// server does with it. Neither the client's messages nor the log may have it in any form.
func TestNoKeyOfAClientComesBack(t *testing.T) {
	quoted, err := json.Marshal(canary)
	if err != nil {
		t.Fatal(err)
	}
	escaped := url.QueryEscape(canary)
	entries := map[string]string{
		"apiKey":         `"baseUrl":"http://model.test/v1","apiKey":` + string(quoted),
		"bearerToken":    `"baseUrl":"http://model.test/v1","bearerToken":` + string(quoted),
		"a header":       `"baseUrl":"http://model.test/v1","headers":{"X-Api-Key":` + string(quoted) + `}`,
		"another header": `"baseUrl":"http://model.test/v1","headers":{"X-Access":` + string(quoted) + `}`,
		"Authorization":  `"baseUrl":"http://model.test/v1","headers":{"Authorization":` + jsonText("Bearer "+canary) + `}`,
		"Basic":          `"baseUrl":"http://model.test/v1","headers":{"Authorization":"Basic ` + base64.StdEncoding.EncodeToString([]byte("u:"+canary)) + `"}`,
		"the base URL":   `"baseUrl":"http://model.test/v1?api_key=` + escaped + `"`,
		"its password":   `"baseUrl":"http://u:` + escaped + `@model.test/v1"`,
		"its signature":  `"baseUrl":"http://model.test/v1?sig=` + escaped + `&v=2"`,
		"another scheme": `"baseUrl":"ftp://u:` + escaped + `@model.test/v1?key=` + escaped + `"`,
	}
	for from, entry := range entries {
		for how, reply := range echoes() {
			t.Run(from+"/"+how, func(t *testing.T) {
				inBubble(t, setup{}, func(t *testing.T, p *process) {
					c := p.connect()
					params := fmt.Sprintf(`{"sessionId":"s1","model":"m","streaming":true,"requestPermission":true,"tools":[{"name":"look","skipPermission":true}],"provider":{"type":"openai",%s}}`, entry)
					answer := c.answer(c.request("session.create", params))
					if answer.failure.Code == 0 {
						c.call("session.send", `{"sessionId":"s1","prompt":"go"}`)
						if strings.HasPrefix(how, "a tool") {
							asked := c.event("s1", "external_tool.requested", 1)
							c.call("session.tools.handlePendingToolCall", fmt.Sprintf(`{"sessionId":"s1","requestId":%q,"result":%s}`, asked.requestID(), jsonText(echoed())))
						}
						c.event("s1", "session.idle", 1)
						c.request("session.model.list", `{"sessionId":"s1"}`)
						c.call("session.destroy", `{"sessionId":"s1"}`)
					}
					var all strings.Builder
					for _, m := range c.messages() {
						all.Write(m.raw)
						all.WriteByte('\n')
					}
					if answer.failure.Code == 0 {
						for _, line := range p.stored("s1") {
							all.Write(line)
							all.WriteByte('\n')
						}
					}
					leaks(t, all.String())
				}, reply...)
			})
		}
	}
}

func jsonText(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// escapedInJSON writes each character as JSON allows it, and almost no program does.
func escapedInJSON(s string) string {
	var b strings.Builder
	for _, c := range s {
		fmt.Fprintf(&b, `\u%04x`, c)
	}
	return b.String()
}

// echoed is a text that repeats the key in each encoding.
func echoed() string {
	return strings.Join([]string{
		"Bearer " + canary, url.QueryEscape(canary), url.PathEscape(canary), jsonText(canary),
		base64.StdEncoding.EncodeToString([]byte(canary)), base64.StdEncoding.EncodeToString([]byte("u:" + canary)),
		base64.URLEncoding.EncodeToString([]byte("me:" + canary + ":x")),
	}, " ")
}

// echoes are the ways in which a provider repeats what it was sent.
func echoes() map[string][]modeltest.Reply {
	body := func(status int) []modeltest.Reply {
		return []modeltest.Reply{{Status: status, Body: `{"error":{"message":` + jsonText("wrong key "+echoed()) + `,"code":` + jsonText(canary) + `,"type":` + jsonText(canary) + `}}`, Repeat: true}}
	}
	page := modeltest.Reply{Status: 401, Body: "<html> " + echoed(), Header: map[string]string{"Content-Type": "text/html"}, Repeat: true}
	cut := modeltest.Reply{Status: 400, Body: strings.Repeat("x", 105) + " " + canary, Header: map[string]string{"Content-Type": "text/plain"}, Repeat: true}
	id := modeltest.Reply{Status: 400, Body: `{"error":"no"}`, Header: map[string]string{"X-Request-Id": canary}, Repeat: true}
	inside := func(text string) []modeltest.Reply {
		return []modeltest.Reply{{Events: []string{`{"choices":[{"delta":{"content":"half"}}]}`, text, "[DONE]"}, Repeat: true}}
	}
	return map[string][]modeltest.Reply{
		"401": body(401), "400": body(400), "403": body(403), "404": body(404), "429": body(429), "500": body(500),
		"a page": {page}, "a text that is cut": {cut}, "its id": {id},
		"inside a stream":           inside(`{"error":{"message":` + jsonText(echoed()) + `}}`),
		"inside a stream, odd":      inside(`{"error":{"` + strings.Repeat("x", 70) + `":` + jsonText(canary) + `}}`),
		"an answer of another kind": {{Body: `{"no":` + jsonText(canary) + `}`, Repeat: true}},
		"an answer":                 {{Text: "Your key: " + echoed(), Piece: 4096}},
		"the arguments of a call":   {{ToolCalls: []modeltest.ToolCall{{ID: "c1", Name: "nosuch", Arguments: `{"key":` + jsonText(canary) + `}`}}, Piece: 4096}, {Text: "ok"}},
		"a name in the arguments":   {{ToolCalls: []modeltest.ToolCall{{ID: "c1", Name: "nosuch", Arguments: `{` + jsonText(canary) + `:1}`}}, Piece: 4096}, {Text: "ok"}},
		"escapes in the arguments":  {{ToolCalls: []modeltest.ToolCall{{ID: "c1", Name: "nosuch", Arguments: `{"key":"` + escapedInJSON(canary) + `"}`}}, Piece: 4096}, {Text: "ok"}},
		"the name of a call":        {{ToolCalls: []modeltest.ToolCall{{ID: "c1", Name: canary, Arguments: `{}`}}}, {Text: "ok"}},
		"the id of a call":          {{ToolCalls: []modeltest.ToolCall{{ID: canary, Name: "nosuch", Arguments: `{}`}}}, {Text: "ok"}},
		"the model of an answer":    inside(`{"model":` + jsonText(canary) + `,"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`),
		"a tool's result":           {{ToolCalls: []modeltest.ToolCall{{ID: "c1", Name: "look", Arguments: `{}`}}}, {Text: "ok"}},
	}
}

// leaks reports each form of the key in a text, and each beginning of it.
func leaks(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		for _, form := range []string{"sk-canary", "23%2245", `67&89`, `67\u0026`, `\u0063\u0061\u006e\u0061`, "MDErMj", "AxKzIz", "wMSsyM"} {
			if i := strings.Index(line, form); i >= 0 {
				t.Errorf("%s is in …%s", form, line[max(0, i-150):min(len(line), i+60)])
			}
		}
	}
}
