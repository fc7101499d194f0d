package web_test

import (
	"context"
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/web"
)

// complete posts a request to the model and returns status and answer, with ids and
// times normalised.
func (p *process) complete(body string) (status int, answer string) {
	p.t.Helper()
	resp := p.post(p.t.Context(), "/v1/chat/completions", body)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return resp.StatusCode, created.ReplaceAllString(alike(string(data)), `"created":0`)
}

var created = regexp.MustCompile(`"created":\d+`)

func TestTheAgentAsAModel(t *testing.T) {
	const ask = `{"model":"sidestick","messages":[{"role":"user","content":"Hi."}]`
	const head = `{"id":"chatcmpl-ID","object":"chat.completion.chunk","created":0,"model":"sidestick","choices":`
	reply := modeltest.Reply{Text: "Hello there.", Piece: 6, Usage: &modeltest.Usage{Input: 12, Output: 3}}
	for _, tc := range []struct{ name, body, want string }{
		{"whole", ask + `}`, `{"id":"chatcmpl-ID","object":"chat.completion","created":0,"model":"sidestick",` +
			`"choices":[{"index":0,"message":{"role":"assistant","content":"Hello there."},"finish_reason":"stop"}],` +
			`"usage":{"completion_tokens":3,"prompt_tokens":12,"total_tokens":15}}` + "\n"},
		{"streaming", ask + `,"stream":true}`, "data: " + head + `[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}` + "\n\n" +
			"data: " + head + `[{"index":0,"delta":{"content":"Hello "},"finish_reason":null}]}` + "\n\n" +
			"data: " + head + `[{"index":0,"delta":{"content":"there."},"finish_reason":null}]}` + "\n\n" +
			"data: " + head + `[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"},
		{"streaming with usage", ask + `,"stream":true,"stream_options":{"include_usage":true}}`, `"finish_reason":"stop"}]}` + "\n\n" +
			"data: " + head + `[],"usage":{"completion_tokens":3,"prompt_tokens":12,"total_tokens":15}}` + "\n\ndata: [DONE]\n\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bubble(t, local, func(p *process) {
				if status, got := p.complete(tc.body); status != 200 || !strings.HasSuffix(got, tc.want) || strings.HasPrefix(tc.want, "data") && got != tc.want {
					p.t.Errorf("%d %s\nwant %s", status, got, tc.want)
				}
			}, reply)
		})
	}
}

func TestEachRequestIsASessionOfItsOwn(t *testing.T) {
	bubble(t, local, func(p *process) {
		p.complete(`{"messages":[{"role":"user","content":"I am Ada."}]}`)
		p.complete(`{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"I am Ada."},{"role":"assistant","content":"Hello."},
			{"role":"user","content":[{"type":"text","text":"Who"},{"type":"text","text":"am I?"}]}]}`)
		same(p.t, "the model read", p.conversation(), "user: Who\nam I?\n\n\n\n<attachment name=\"the conversation so far\" type=\"text/plain\">\n"+
			"What was said before this message, in the same conversation:\n\n## user\n\nI am Ada.\n\n## assistant\n\nHello.\n</attachment>\n")
		requests := p.model.Requests()
		if system := requests[1].Messages[0]; system.Role != "system" || !strings.Contains(system.Content, "Be brief.") {
			p.t.Errorf("the system message is %q", system)
		}
		synctest.Wait()
		dirs, err := p.disk.ReadDir("/home/session-state")
		if err != nil || len(dirs) != 2 {
			p.t.Errorf("%d sessions, want 2 (%v)", len(dirs), err)
		}
	}, says("Hello."), says("Ada."))
}

func TestNobodyIsAskedByAModel(t *testing.T) {
	bubble(t, local, func(p *process) {
		if status, got := p.complete(`{"messages":[{"role":"user","content":"Deploy."}]}`); status != 200 || !strings.Contains(got, "I may not.") {
			p.t.Errorf("%d %s", status, got)
		}
		if read := p.conversation(); p.ran.String() != "" || !strings.Contains(read, "could not request permission") {
			p.t.Errorf("ran %q; the model read:\n%s", p.ran, read)
		}
	}, call("c1", "bash", deploy), says("I may not."))
}

func TestWhatAModelRefuses(t *testing.T) {
	const hi = `"messages":[{"role":"user","content":"Hi."}]`
	for _, tc := range []struct {
		name, body string
		status     int
		want       string
	}{
		{"no JSON", `{`, 400, "cannot be read"},
		{"null", `null`, 400, "not one JSON object"},
		{"a role that is not text", `{"messages":[{"role":1}]}`, 400, "cannot be read: messages.role is a JSON number, want a string"},
		{"another model", `{"model":"gpt-4",` + hi + `}`, 404, `"code":"model_not_found"`},
		{"several answers", `{"n":2,` + hi + `}`, 400, "one answer"},
		{"a required call of its own tools", `{"tool_choice":"required",` + hi + `}`, 400, "tool_choice"},
		{"one tool", `{"tool_choice":{"type":"function"},` + hi + `}`, 400, "tool_choice"},
		{"a form of answer", `{"response_format":{"type":"json_object"},` + hi + `}`, 400, "response_format"},
		{"no messages", `{}`, 400, "last message"},
		{"the answer of a tool", `{"messages":[{"role":"tool","content":"x"}]}`, 400, "last message"},
		{"nothing", `{"messages":[{"role":"user","content":null}]}`, 400, "empty"},
		{"sound", `{"messages":[{"role":"user","content":[{"type":"input_audio"}]}]}`, 400, "input_audio"},
		{"a picture to fetch", `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"http://10.0.0.1/x.png"}}]}]}`, 400, "data URL"},
		{"fields that are ignored", `{"tools":[{"type":"function"}],"tool_choice":"auto","temperature":0,"n":1,"response_format":{"type":"text"},` + hi + `}`, 200, "Hello."},
		{"no tokens", `{"max_tokens":-1,` + hi + `}`, 400, `"message":"max_tokens is not a whole number of 1 or more","param":"max_tokens"`},
		{"tokens in letters", `{"max_completion_tokens":"x",` + hi + `}`, 400, `"param":"max_completion_tokens"`},
		{"half a token", `{"max_completion_tokens":1.5,` + hi + `}`, 400, `"param":"max_completion_tokens"`},
		{"too hot", `{"temperature":99,` + hi + `}`, 400, `temperature is not a number from 0 to 2`},
		{"stream in letters", `{"stream":"yes",` + hi + `}`, 400, `stream is not true or false`},
		{"probabilities", `{"logprobs":true,` + hi + `}`, 400, `no log probabilities`},
		{"sound as the answer", `{"modalities":["text","audio"],` + hi + `}`, 400, `"param":"modalities"`},
		{"a function to call", `{"function_call":{"name":"f"},` + hi + `}`, 400, `"param":"function_call"`},
		{"five stops", `{"stop":["1","2","3","4","5"],` + hi + `}`, 400, `"param":"stop"`},
		{"a role that is none", `{"messages":[{"role":"robot","content":"x"},{"role":"user","content":"Hi."}]}`, 400, `there is no role \"robot\"`},
		{"a list", `[]`, 400, "not one JSON object"},
		{"a long name", `{"model":"` + strings.Repeat("x", 100_000) + `",` + hi + `}`, 404, `"param":"model"`},
		{"a failure", `{` + hi + `,"stream":true}`, 502, `"type":"server_error"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			reply := says("Hello.")
			if tc.status == 502 {
				reply = modeltest.Reply{Status: 400, Body: `{"error":{"message":"no"}}`}
			}
			bubble(t, local, func(p *process) {
				status, got := p.complete(tc.body)
				var e struct {
					Error struct{ Message, Type string }
				}
				if len(got) > 10_000 {
					p.t.Errorf("the answer has %d bytes", len(got))
				}
				if err := json.Unmarshal([]byte(got), &e); status != tc.status || err != nil || !strings.Contains(got, tc.want) || status != 200 && e.Error.Message == "" {
					p.t.Errorf("%d %s\nwant %d with %s", status, got, tc.status, tc.want)
				}
			}, reply)
		})
	}
}

// The answer names the fields that the agent has ignored, and no others.
func TestIgnoredFieldsAreNamed(t *testing.T) {
	const hi = `,"messages":[{"role":"user","content":"Hi."}]}`
	for _, tc := range []struct{ name, body, want string }{
		{"none", `{"model":"sidestick"` + hi, ""},
		{"sampling and tools", `{"temperature":0,"max_tokens":5,"tools":[{"type":"function"}],"stop":"x"` + hi, "max_tokens, stop, temperature, tools"},
		{"also of a stream", `{"seed":7,"stream":true` + hi, "seed"},
		{"values that ask for nothing", `{"temperature":1,"top_p":1,"tools":[],"logprobs":false,"modalities":["text"],"store":false,"stop":null,"user":"u"` + hi, ""},
		{"fields that OpenAI does not have", `{"top_k":5,"a b":1` + hi, "?, top_k"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bubble(t, local, func(p *process) {
				resp := p.post(p.t.Context(), "/v1/chat/completions", tc.body)
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
				if got := resp.Header.Get("X-Sidestick-Ignored"); resp.StatusCode != 200 || got != tc.want {
					p.t.Errorf("%d, ignored %q, want %q", resp.StatusCode, got, tc.want)
				}
			}, says("Hello."))
		})
	}
}

// A client that is refused because too many others are answered learns when to come back.
func TestTooManyCompletionsAtOnce(t *testing.T) {
	bubble(t, web.Options{Loopback: true, Answers: 1}, func(p *process) {
		const req = `{"messages":[{"role":"user","content":"Hi."}]}`
		ctx, leave := context.WithCancel(p.t.Context())
		var first sync.WaitGroup
		first.Go(func() {
			if resp, err := p.host.Transport().RoundTrip(request(p.t, ctx, "/v1/chat/completions", req)); err == nil {
				_ = resp.Body.Close()
			}
		})
		synctest.Wait()
		resp := p.post(p.t.Context(), "/v1/chat/completions", req)
		_ = resp.Body.Close()
		if wait := resp.Header.Get("Retry-After"); resp.StatusCode != 429 || wait != "5" {
			p.t.Errorf("%d with Retry-After %q", resp.StatusCode, wait)
		}
		leave()
		first.Wait()
	}, modeltest.Silent())
}

func TestAPictureIsShownToTheModel(t *testing.T) {
	const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	bubble(t, local, func(p *process) {
		status, got := p.complete(`{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + dot + `"}}]}]}`)
		if status != 200 || !strings.Contains(string(p.model.Requests()[0].Raw), dot) {
			p.t.Errorf("%d %s; the model got %s", status, got, p.model.Requests()[0].Raw)
		}
	}, says("A dot."))
}

func TestAClientOfTheModelThatLeavesAbortsTheRun(t *testing.T) {
	bubble(t, local, func(p *process) {
		ctx, leave := context.WithCancel(p.t.Context())
		go func() { synctest.Wait(); leave() }()
		req := `{"messages":[{"role":"user","content":"Hi."}]}`
		if resp, err := p.host.Transport().RoundTrip(request(p.t, ctx, "/v1/chat/completions", req)); err == nil {
			p.t.Errorf("answered with %d", resp.StatusCode)
			_ = resp.Body.Close()
		}
		synctest.Wait()
		events := p.stored()
		if last := events[len(events)-1]; last.Type != "session.shutdown" {
			p.t.Errorf("the log ends with %s: the session is still there", last.Type)
		}
	}, modeltest.Silent())
}

// An answer that breaks off and is asked for again reaches a program once, or as an error: it may parse the text.
func TestAProgramGetsNoTextOfAnAnswerThatBrokeOff(t *testing.T) {
	const answer = `{"answer": 42}`
	for name, tc := range map[string]struct {
		body, want string
	}{
		"whole":     {`{"messages":[{"role":"user","content":"Hi."}]}`, `"content":"{\"answer\": 42}"},"finish_reason":"stop"`},
		"streaming": {`{"stream":true,"messages":[{"role":"user","content":"Hi."}]}`, `"error":{"code":"answer_broken"`},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, local, func(p *process) {
				status, got := p.complete(tc.body)
				if status != 200 || strings.Count(got, tc.want) != 1 || strings.Contains(got, "broke off above") || name == "streaming" && strings.Contains(got, "[DONE]") {
					p.t.Errorf("%d %s\nwant %s", status, got, tc.want)
				}
			}, modeltest.Reply{Text: answer, Piece: 5, CutAfter: 2}, modeltest.Reply{Text: answer, Piece: 5})
		})
	}
}

// No proxy may take the connection for dead while the agent works.
func TestASilentStreamSendsComments(t *testing.T) {
	bubble(t, local, func(p *process) {
		_, got := p.complete(`{"stream":true,"messages":[{"role":"user","content":"Hi."}]}`)
		if n := strings.Count(got, ": working\n"); n != 2 || !strings.HasSuffix(got, "data: [DONE]\n\n") {
			p.t.Errorf("%d comments in 40 s, want 2:\n%s", n, got)
		}
	}, modeltest.Reply{Text: "Hello.", Delay: 40 * time.Second})
}
