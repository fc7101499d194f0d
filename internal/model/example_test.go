package model_test

import (
	"context"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

func ExampleClient_Stream() {
	srv := modeltest.NewServer(modeltest.Reply{
		Pieces:    []string{"Let me ", "look."},
		ToolCalls: []modeltest.ToolCall{{ID: "c1", Name: "grep", Arguments: `{"pattern":"TODO"}`}},
	})
	defer srv.Close()

	client := model.New(model.Options{Transport: srv.Transport()}, chat.New())
	answer, err := client.Stream(context.Background(),
		model.Endpoint{BaseURL: "http://localhost:11434/v1"},
		model.Request{
			Model:    "qwen3",
			Messages: []model.Message{{Role: model.RoleUser, Content: "What is left to do?"}},
			Stream:   true,
		},
		func(d model.Delta) {
			if d.Kind == model.DeltaText {
				fmt.Printf("%q\n", d.Text)
			}
		})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.FinishReason, answer.ToolCalls[0].Name, answer.ToolCalls[0].Arguments)
	// Output:
	// "Let me "
	// "look."
	// tool_calls grep {"pattern":"TODO"}
}
