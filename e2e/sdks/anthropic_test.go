package sdks_test

import (
	"errors"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest/strict"
)

func claude(s *strict.Server) anthropic.Client {
	return anthropic.NewClient(option.WithBaseURL(s.URL()), option.WithAPIKey(strict.Key), option.WithMaxRetries(0))
}

func messaged(t *testing.T, c anthropic.Client, p anthropic.MessageNewParams, streamed bool) anthropic.Message {
	t.Helper()
	if !streamed {
		whole, err := c.Messages.New(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return *whole
	}
	stream := c.Messages.NewStreaming(t.Context(), p)
	var all anthropic.Message
	for stream.Next() {
		if err := all.Accumulate(stream.Current()); err != nil {
			t.Fatal(err)
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestMessages(t *testing.T) {
	for _, name := range []string{"claude-sonnet-4-5", "claude-opus-5-5"} {
		for _, streamed := range []bool{true, false} {
			c := claude(begin(t, strict.Anthropic, conversation()))
			p := anthropic.MessageNewParams{
				Model: anthropic.Model(name), MaxTokens: 4000, System: []anthropic.TextBlockParam{{Text: "Be brief.", CacheControl: anthropic.NewCacheControlEphemeralParam()}},
				Thinking: anthropic.ThinkingConfigParamUnion{OfEnabled: &anthropic.ThinkingConfigEnabledParam{BudgetTokens: 2000}},
				Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(question))},
				Tools: []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{
					Name: "weather", InputSchema: anthropic.ToolInputSchemaParam{Properties: weather["properties"], Required: []string{"city"}},
				}}},
			}
			if name == "claude-opus-5-5" {
				p.Thinking = anthropic.ThinkingConfigParamUnion{OfAdaptive: &anthropic.ThinkingConfigAdaptiveParam{Display: anthropic.ThinkingConfigAdaptiveDisplaySummarized}}
			}
			got := messaged(t, c, p, streamed)
			var arguments []string
			var results []anthropic.ContentBlockParamUnion
			for _, b := range got.Content {
				switch b.Type {
				case "thinking":
					if b.Thinking != thought {
						t.Errorf("the SDK read the thinking %q", b.Thinking)
					}
				case "tool_use":
					arguments = append(arguments, string(b.Input))
					results = append(results, anthropic.NewToolResultBlock(b.ID, "fine", false))
				}
			}
			called(t, arguments...)
			if u := got.Usage; u.InputTokens != 10 || u.CacheReadInputTokens != 4 || u.CacheCreationInputTokens != 3 || u.OutputTokens != 7 {
				t.Errorf("the SDK read the usage %+v", u)
			}
			p.Messages = append(p.Messages, got.ToParam(), anthropic.NewUserMessage(results...))
			said(t, messaged(t, c, p, streamed).Content[0].Text)
		}
	}
}

func TestErrorsOfAnthropic(t *testing.T) {
	c := claude(begin(t, strict.Anthropic, []strict.Reply{{Fail: strict.Overloaded}, {Fail: strict.BreaksDuring}}, "messages.0.content.0.something: Extra inputs are not permitted"))
	p := anthropic.MessageNewParams{Model: "claude-sonnet-4-5", MaxTokens: 100, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("Hello"))}}
	var failed *anthropic.Error
	if _, err := c.Messages.New(t.Context(), p); !errors.As(err, &failed) || failed.StatusCode != 529 || failed.Type() != "overloaded_error" || failed.RequestID == "" {
		t.Errorf("the SDK read %v", err)
	}
	stream := c.Messages.NewStreaming(t.Context(), p)
	for stream.Next() {
	}
	if stream.Err() == nil {
		t.Error("the SDK did not notice the error within the stream")
	}
	_, err := c.Messages.New(t.Context(), p, option.WithJSONSet("messages.0.content.0.something", 1))
	if !errors.As(err, &failed) || failed.StatusCode != 400 || failed.Type() != "invalid_request_error" {
		t.Errorf("the SDK read %v", err)
	}
}
