package sdks_test

import (
	"errors"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest/strict"
)

func openAI(s *strict.Server) openai.Client {
	return openai.NewClient(option.WithBaseURL(s.URL()+"/v1"), option.WithAPIKey(strict.Key), option.WithMaxRetries(0))
}

// completed is the answer to a conversation, streamed or whole.
func completed(t *testing.T, c openai.Client, p openai.ChatCompletionNewParams, streamed bool) openai.ChatCompletion {
	t.Helper()
	if !streamed {
		whole, err := c.Chat.Completions.New(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return *whole
	}
	p.StreamOptions.IncludeUsage = openai.Bool(true)
	stream := c.Chat.Completions.NewStreaming(t.Context(), p)
	var all openai.ChatCompletionAccumulator
	for stream.Next() {
		all.AddChunk(stream.Current())
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	return all.ChatCompletion
}

func TestChatCompletions(t *testing.T) {
	for _, streamed := range []bool{true, false} {
		c := openAI(begin(t, strict.Chat, conversation()))
		p := openai.ChatCompletionNewParams{
			Model: "gpt-5.1", Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage("Be brief."), openai.UserMessage(question)},
			Tools: []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{Name: "weather", Parameters: weather})},
		}
		got := completed(t, c, p, streamed)
		m := got.Choices[0].Message
		p.Messages = append(p.Messages, m.ToParam())
		var arguments []string
		for _, call := range m.ToolCalls {
			arguments = append(arguments, call.Function.Arguments)
			p.Messages = append(p.Messages, openai.ToolMessage("fine", call.ID))
		}
		called(t, arguments...)
		if u := got.Usage; u.PromptTokens != 17 || u.PromptTokensDetails.CachedTokens != 4 || u.CompletionTokens != 7 || u.CompletionTokensDetails.ReasoningTokens != 2 {
			t.Errorf("the SDK read the usage %+v", u)
		}
		said(t, completed(t, c, p, streamed).Choices[0].Message.Content)
	}
}

// responded is the answer to a conversation, streamed or whole.
func responded(t *testing.T, c openai.Client, p responses.ResponseNewParams, streamed bool) *responses.Response {
	t.Helper()
	if !streamed {
		whole, err := c.Responses.New(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return whole
	}
	stream := c.Responses.NewStreaming(t.Context(), p)
	var last *responses.Response
	text := ""
	for stream.Next() {
		switch e := stream.Current(); e.Type {
		case "response.output_text.delta":
			text += e.Delta
		case "response.completed":
			last = &e.Response
		}
	}
	if err := stream.Err(); err != nil || last == nil {
		t.Fatalf("the stream ended with %v", err)
	}
	if text != last.OutputText() {
		t.Errorf("the pieces are %q, the answer is %q", text, last.OutputText())
	}
	return last
}

func TestResponses(t *testing.T) {
	for _, streamed := range []bool{true, false} {
		c := openAI(begin(t, strict.Responses, conversation()))
		input := responses.ResponseInputParam{responses.ResponseInputItemParamOfMessage(question, responses.EasyInputMessageRoleUser)}
		p := responses.ResponseNewParams{
			Model: "gpt-6.2-sol", Store: openai.Bool(false), Instructions: openai.String("Be brief."),
			Reasoning: shared.ReasoningParam{Effort: shared.ReasoningEffortLow, Summary: shared.ReasoningSummaryAuto},
			Include:   []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent},
			Input:     responses.ResponseNewParamsInputUnion{OfInputItemList: input},
			Tools:     []responses.ToolUnionParam{{OfFunction: &responses.FunctionToolParam{Name: "weather", Parameters: weather, Strict: openai.Bool(false)}}},
		}
		got := responded(t, c, p, streamed)
		var arguments []string
		var results responses.ResponseInputParam
		for _, item := range got.Output {
			switch item.Type {
			case "reasoning":
				read := item.AsReasoning()
				if len(read.Summary) != 1 || read.Summary[0].Text != thought {
					t.Errorf("the SDK read the reasoning %+v", read.Summary)
				}
				r := read.ToParam()
				input = append(input, responses.ResponseInputItemUnionParam{OfReasoning: &r})
			case "function_call":
				read := item.AsFunctionCall()
				arguments = append(arguments, read.Arguments)
				f := read.ToParam()
				input = append(input, responses.ResponseInputItemUnionParam{OfFunctionCall: &f})
				results = append(results, resultOf(read.CallID))
			}
		}
		called(t, arguments...)
		if u := got.Usage; u.InputTokens != 17 || u.InputTokensDetails.CachedTokens != 4 || u.OutputTokens != 7 || u.OutputTokensDetails.ReasoningTokens != 2 {
			t.Errorf("the SDK read the usage %+v", u)
		}
		p.Input.OfInputItemList = append(input, results...)
		said(t, responded(t, c, p, streamed).OutputText())
	}
}

// The errors of both dialects have the code and the message that the SDK looks for.
func TestErrorsOfOpenAI(t *testing.T) {
	s := begin(t, strict.Responses, []strict.Reply{{Fail: strict.NoCredit}, {Fail: strict.BreaksDuring, Parts: strict.Say("a").Parts}}, `Unknown parameter: 'temper'.`)
	c := openAI(s)
	p := responses.ResponseNewParams{Model: "gpt-6.2-sol", Store: openai.Bool(false), Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("Hello")}}
	var failed *openai.Error
	if _, err := c.Responses.New(t.Context(), p); !errors.As(err, &failed) || failed.StatusCode != 429 || failed.Code != "insufficient_quota" || failed.Message == "" {
		t.Errorf("the SDK read %v", err)
	}
	stream := c.Responses.NewStreaming(t.Context(), p)
	ended := ""
	for stream.Next() {
		if e := stream.Current(); e.Type == "response.failed" {
			ended = string(e.Response.Error.Code)
		}
	}
	if ended != "server_error" {
		t.Errorf("the SDK read a failure %q, %v", ended, stream.Err())
	}
	_, err := c.Responses.New(t.Context(), p, option.WithJSONSet("temper", 1))
	if !errors.As(err, &failed) || failed.StatusCode != 400 || failed.Code != "unknown_parameter" || failed.Param != "temper" {
		t.Errorf("the SDK read %v", err)
	}

	c = openAI(begin(t, strict.Chat, []strict.Reply{{Fail: strict.BreaksDuring}}))
	broken := c.Chat.Completions.NewStreaming(t.Context(), openai.ChatCompletionNewParams{Model: "gpt-5.1", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Hello")}})
	for broken.Next() {
	}
	if broken.Err() == nil {
		t.Error("the SDK did not notice the error within the stream")
	}
}

func resultOf(call string) responses.ResponseInputItemUnionParam {
	return responses.ResponseInputItemUnionParam{OfFunctionCallOutput: &responses.ResponseInputItemFunctionCallOutputParam{
		CallID: openai.String(call), Output: responses.ResponseInputItemFunctionCallOutputOutputUnionParam{OfString: openai.String("fine")},
	}}
}
