package e2e_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"sync"
	"testing"

	copilot "github.com/github/copilot-sdk/go"
	"github.com/github/copilot-sdk/go/rpc"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest/strict"
)

// The rows that a column may lack.
const (
	rowReasoning = "Reasoning"
	rowImage     = "Image"
	rowPDF       = "PDF"
	rowCredit    = "No credit"
	rowPolicy    = "Prompt against the policy"
	rowFiltered  = "Answer stopped by a filter, or refused"
)

// dialectRow is a line of the table. run returns what the page says; "yes", if there is nothing to
// say.
type dialectRow struct {
	title string
	run   func(t *testing.T, s *dialectStage) string
}

const yes = "yes"

// callLog has the tools of the scenes, and their calls.
type callLog struct {
	mu     sync.Mutex
	cities []string
	wait   chan struct{} // if set, the tool "slow" says so, and waits for its end
}

func (c *callLog) tools() []copilot.Tool {
	type place struct {
		City string `json:"city" jsonschema:"the name of the city"`
	}
	return []copilot.Tool{
		copilot.DefineTool("weather", "The weather in a city.", func(p place, _ copilot.ToolInvocation) (string, error) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.cities = append(c.cities, p.City)
			return "Sunny in " + p.City, nil
		}),
		copilot.DefineTool("nothing", "Returns nothing.", func(struct{}, copilot.ToolInvocation) (string, error) { return "", nil }),
		copilot.DefineTool("broken", "Fails.", func(struct{}, copilot.ToolInvocation) (string, error) { return "", errors.New("it is broken") }),
		copilot.DefineTool("slow", "Waits.", func(_ struct{}, i copilot.ToolInvocation) (string, error) {
			close(c.wait)
			<-i.TraceContext.Done()
			return "", i.TraceContext.Err()
		}),
	}
}

func weather(city string) strict.Call {
	return strict.Call{Name: "weather", Arguments: `{"city":"` + city + `"}`}
}

// thinking puts reasoning before a reply.
func thinking(thought string, r strict.Reply) strict.Reply {
	r.Parts = append([]strict.Part{{Reasoning: thought}}, r.Parts...)
	return r
}

const odd = "Héllo \"you\" & <them> 雨 \n\n- a\n"

// answerRows are those about what models can do.
var answerRows = []dialectRow{
	{"Text, in pieces", func(t *testing.T, s *dialectStage) string {
		a := s.open(t, nil, strict.Say(odd), strict.Say("Again."))
		a.answers("Hello", odd)
		pieces := ""
		for _, d := range all[*copilot.AssistantMessageDeltaData](a.events()) {
			pieces += d.DeltaContent
		}
		if pieces != odd {
			t.Errorf("the pieces are %q", pieces)
		}
		a.answers("And now?", "Again.")
		return yes
	}},
	{"Text, at once", func(t *testing.T, s *dialectStage) string {
		a := s.open(t, func(c *copilot.SessionConfig) { c.Streaming = new(false) }, strict.Use(weather("Rome")), strict.Say(odd))
		a.answers("Hello", odd)
		return yes
	}},
	{"Tool call", func(t *testing.T, s *dialectStage) string {
		a := s.open(t, nil, strict.Use(weather("Rome")), strict.Use(weather("Oslo")), strict.Say("Sunny."))
		a.answers("How is the weather?", "Sunny.")
		if strings.Join(a.calls.cities, " ") != "Rome Oslo" || !strings.Contains(last(t, s.own()), "Sunny in Oslo") {
			t.Errorf("the calls were for %q", a.calls.cities)
		}
		return yes
	}},
	{"Parallel tool calls", func(t *testing.T, s *dialectStage) string {
		both := strict.Use(weather("Rome"), weather("Oslo"), strict.Call{Name: "nothing", Arguments: "{}"})
		both.Parts = append([]strict.Part{{Text: "I look."}}, both.Parts...)
		a := s.open(t, nil, both, strict.Say("Sunny."), strict.Say("Yes."))
		a.answers("How is the weather?", "Sunny.")
		if len(a.calls.cities) != 2 {
			t.Errorf("the calls were for %q", a.calls.cities)
		}
		a.answers("Sure?", "Yes.")
		return yes
	}},
	{"Empty and failed results, and unknown tools", func(t *testing.T, s *dialectStage) string {
		a := s.open(t, nil, strict.Use(strict.Call{Name: "nothing", Arguments: "{}"}, strict.Call{Name: "broken", Arguments: "{}"}),
			strict.Use(strict.Call{Name: "no_such_tool", Arguments: `{"a":1}`}, strict.Call{Name: "weather", Arguments: `{"city":7}`}), strict.Say("Done."))
		a.answers("Go", "Done.")
		return yes
	}},
	{rowReasoning, func(t *testing.T, s *dialectStage) string {
		a := s.open(t, nil, thinking("First Rome. ", strict.Use(weather("Rome"), weather("Bonn"))), thinking("Then Oslo.", strict.Use(weather("Oslo"))),
			thinking("Both are sunny.", strict.Say("Sunny.")), thinking("Nothing to add.", strict.Say("Yes.")))
		a.answers("How is the weather?", "Sunny.")
		a.answers("Sure?", "Yes.")
		text := ""
		for _, r := range all[*copilot.AssistantReasoningData](a.events()) {
			text += r.Content
		}
		if !strings.Contains(text, "First Rome.") || !strings.Contains(text, "Both are sunny.") {
			t.Errorf("the reasoning that is shown is %q", text)
		}
		if s.vendor != strict.Chat && s.vendor != strict.Ollama { // which do not sign; DeepSeek refuses a call without its reasoning
			s.own().Add(strict.Say("Bye."))
			a.answers("Bye", "Bye.")
			returnedAll(t, s.own())
		}
		return yes
	}},
	{rowImage, func(t *testing.T, s *dialectStage) string {
		const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
		return attached(t, s, "dot.png", "image/png", png)
	}},
	{rowPDF, func(t *testing.T, s *dialectStage) string {
		return attached(t, s, "paper.pdf", "application/pdf", base64.StdEncoding.EncodeToString([]byte("%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n")))
	}},
	{"Token counts", func(t *testing.T, s *dialectStage) string {
		reply := thinking("Hm.", strict.Say("Hello."))
		reply.Usage = strict.Usage{Input: 100, CacheRead: 40, Output: 7, Reasoning: 5}
		a := s.open(t, nil, reply)
		a.answers("Hello", "Hello.")
		u := await[*copilot.AssistantUsageData](t, a.ear, 1)
		in, cached, reasoning, cell := int64(140), int64(40), int64(5), yes
		switch s.vendor {
		case strict.Bedrock:
			reasoning, cell = 0, "yes; reasoning is not told apart"
		case strict.Ollama:
			in, cached, reasoning, cell = 100, 0, 0, "without the cache; reasoning is not told apart"
		}
		if n(u.InputTokens) != in || n(u.OutputTokens) != 12 || n(u.CacheReadTokens) != cached || n(u.ReasoningTokens) != reasoning {
			t.Errorf("the usage is %d in, %d out, %d of the cache, %d of reasoning", n(u.InputTokens), n(u.OutputTokens), n(u.CacheReadTokens), n(u.ReasoningTokens))
		}
		return cell
	}},
	{"Answer in the form of a schema", func(t *testing.T, s *dialectStage) string {
		a := s.open(t, nil, strict.Say(`{"n":2}`))
		schema := map[string]any{"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer", "minimum": 1}}, "required": []string{"n"}}
		_, err := a.RPC.Send(soon(t), &rpc.SendRequest{Prompt: "How many?", ResponseFormat: &rpc.ResponseFormat{
			Type: rpc.ResponseFormatTypeJSONSchema, JSONSchema: rpc.JSONSchemaResponseFormat{Name: "count", Schema: schema},
		}})
		if err != nil {
			t.Fatal(err)
		}
		await[*copilot.SessionIdleData](t, a.ear, 1)
		if got := all[*copilot.AssistantMessageData](a.events()); len(got) != 1 || got[0].Content != `{"n":2}` {
			t.Errorf("the answers are %+v", got)
		}
		if !strings.Contains(last(t, s.own()), `"integer"`) {
			t.Error("the schema was not sent")
		}
		return yes
	}},
}

func n(count *int64) int64 {
	if count == nil {
		return 0
	}
	return *count
}

// attached sends a file and reports whether the model got it.
func attached(t *testing.T, s *dialectStage, name, kind, data string) string {
	a := s.open(t, nil, strict.Say("I see."), strict.Say("Yes."))
	a.talk.t = t
	options := copilot.MessageOptions{Prompt: "See", Attachments: []copilot.Attachment{&copilot.AttachmentBlob{Data: &data, DisplayName: &name, MIMEType: kind}}}
	if _, err := a.SendAndWait(soon(t), options); err != nil {
		t.Fatal(err)
	}
	a.answers("Still there?", "Yes.")
	body := last(t, s.own())
	switch {
	case strings.Contains(body, data):
		return yes
	case strings.Contains(body, name):
		return "its name only"
	}
	t.Error("the request has nothing of the file")
	return "no"
}
