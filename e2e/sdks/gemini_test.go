package sdks_test

import (
	"errors"
	"testing"

	"google.golang.org/genai"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest/strict"
)

func google(t *testing.T, s *strict.Server) *genai.Client {
	t.Helper()
	c, err := genai.NewClient(t.Context(), &genai.ClientConfig{
		APIKey: strict.Key, Backend: genai.BackendGeminiAPI, HTTPOptions: genai.HTTPOptions{BaseURL: s.URL()},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// generated is the answer to a conversation: its parts, and the last usage.
func generated(t *testing.T, c *genai.Client, contents []*genai.Content, config *genai.GenerateContentConfig, streamed bool) (*genai.Content, *genai.GenerateContentResponseUsageMetadata) {
	t.Helper()
	all := &genai.Content{Role: genai.RoleModel}
	const name = "gemini-3.8-flash"
	if !streamed {
		whole, err := c.Models.GenerateContent(t.Context(), name, contents, config)
		if err != nil {
			t.Fatal(err)
		}
		return whole.Candidates[0].Content, whole.UsageMetadata
	}
	var usage *genai.GenerateContentResponseUsageMetadata
	for piece, err := range c.Models.GenerateContentStream(t.Context(), name, contents, config) {
		if err != nil {
			t.Fatal(err)
		}
		usage = piece.UsageMetadata
		for _, p := range piece.Candidates[0].Content.Parts {
			if p.Text != "" || p.FunctionCall != nil || p.ThoughtSignature != nil {
				all.Parts = append(all.Parts, p)
			}
		}
	}
	return all, usage
}

func TestGenerateContent(t *testing.T) {
	for _, streamed := range []bool{true, false} {
		c := google(t, begin(t, strict.Gemini, conversation()))
		config := &genai.GenerateContentConfig{
			SystemInstruction: genai.NewContentFromText("Be brief.", genai.RoleUser),
			ThinkingConfig:    &genai.ThinkingConfig{IncludeThoughts: true, ThinkingLevel: genai.ThinkingLevelLow},
			Tools:             []*genai.Tool{{FunctionDeclarations: []*genai.FunctionDeclaration{{Name: "weather", ParametersJsonSchema: weather}}}},
		}
		contents := genai.Text(question)
		got, usage := generated(t, c, contents, config, streamed)
		var arguments []string
		results := &genai.Content{Role: genai.RoleUser}
		back := &genai.Content{Role: genai.RoleModel}
		for _, p := range got.Parts {
			switch {
			case p.Thought:
				if p.Text != thought {
					t.Errorf("the SDK read the thought %q", p.Text)
				}
				continue
			case p.FunctionCall != nil:
				arguments = append(arguments, `{"city":"`+p.FunctionCall.Args["city"].(string)+`"}`)
				result := genai.NewPartFromFunctionResponse(p.FunctionCall.Name, map[string]any{"output": "fine"})
				result.FunctionResponse.ID = p.FunctionCall.ID // Gemini wants the ids back that it gave
				results.Parts = append(results.Parts, result)
			}
			back.Parts = append(back.Parts, p)
		}
		called(t, arguments...)
		if usage.PromptTokenCount != 17 || usage.CachedContentTokenCount != 4 || usage.CandidatesTokenCount != 5 || usage.ThoughtsTokenCount != 2 {
			t.Errorf("the SDK read the usage %+v", usage)
		}
		got, _ = generated(t, c, append(contents, back, results), config, streamed)
		text := ""
		for _, p := range got.Parts {
			text += p.Text
		}
		said(t, text)
	}
}

func TestErrorsOfGoogle(t *testing.T) {
	c := google(t, begin(t, strict.Gemini, []strict.Reply{{Fail: strict.TooFast}, {Fail: strict.BreaksDuring, Parts: strict.Say("Hello, and a bit more").Parts}}, "Please ensure that single turn requests end with a user role or the role field is empty."))
	var failed genai.APIError
	_, err := c.Models.GenerateContent(t.Context(), "gemini-3.8-flash", genai.Text("Hello"), nil)
	if !errors.As(err, &failed) || failed.Code != 429 || failed.Status != "RESOURCE_EXHAUSTED" || len(failed.Details) != 2 {
		t.Errorf("the SDK read %v", err)
	}
	var last error
	for _, err := range c.Models.GenerateContentStream(t.Context(), "gemini-3.8-flash", genai.Text("Hello"), nil) {
		last = err
	}
	if last == nil {
		t.Error("the SDK did not notice the error within the stream")
	}
	_, err = c.Models.GenerateContent(t.Context(), "gemini-3.8-flash", []*genai.Content{genai.NewContentFromText("Hello", genai.RoleModel)}, nil)
	if !errors.As(err, &failed) || failed.Code != 400 || failed.Status != "INVALID_ARGUMENT" {
		t.Errorf("the SDK read %v", err)
	}
}
