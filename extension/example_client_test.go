package extension_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"

	"github.com/sidestick-dev/sidestick/extension"
)

// deleter is an agent that asks before it acts.
func deleter(_ context.Context, r *extension.Request, w *extension.Writer) error {
	switch d := r.Decision(); {
	case d == nil:
		return w.Confirm(extension.Confirmation{Title: "Delete it?", Message: "There is no way back.", Data: []byte(`{"id":"7"}`)})
	case d.Accepted:
		return w.Text("Deleted " + string(d.Data))
	}
	return w.Text("Kept.")
}

func ExampleClient_Call() {
	agent := httptest.NewServer(extension.NewHandler(func(_ context.Context, r *extension.Request, w *extension.Writer) error {
		return w.Text("You said: " + r.Prompt())
	}, extension.HandlerOptions{Unsigned: true}))
	defer agent.Close()

	c := extension.NewClient(extension.ClientOptions{})
	r := &extension.Request{Messages: []extension.Message{{Role: "user", Content: "hello"}}}
	for e, err := range c.Call(context.Background(), agent.URL, r) {
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(e.Kind, e.Text)
	}
	// Output:
	// text You said: hello
}

func ExampleThread() {
	agent := httptest.NewServer(extension.NewHandler(deleter, extension.HandlerOptions{Unsigned: true}))
	defer agent.Close()
	ctx := context.Background()

	thread := extension.NewClient(extension.ClientOptions{}).NewThread(agent.URL)
	for e := range thread.Say(ctx, "delete number 7") {
		fmt.Println(e.Confirmation.Title, e.Confirmation.Message)
	}
	// The user accepts.
	for e := range thread.Decide(ctx, thread.Open[0], true) {
		fmt.Println(e.Text)
	}
	// Output:
	// Delete it? There is no way back.
	// Deleted {"id":"7"}
}

func ExampleReadReply() {
	body := "data: Something went wrong\r\ndata: [DONE]"
	for e, err := range extension.ReadReply(strings.NewReader(body)) {
		fmt.Println(e.Kind, e.Text+e.Warning, err)
	}
	// Output:
	// warning The agent sent text in a form that is not of the protocol; it is shown as it came. <nil>
	// text Something went wrong <nil>
}

func ExampleCheck() {
	body := "event: copilot_references\ndata: [{\"type\":\"acme.doc\",\"id\":\"1\"}]\n\ndata: [DONE]\n\n"
	for _, f := range extension.Check(nil, 200, strings.NewReader(body)) {
		fmt.Println(f)
	}
	// Output:
	// line 2 (byte 26): error: a reference has no metadata.display_name [35 display name]. Give each reference a metadata.display_name; without one it is not shown.
	// answer: warning: no chunk has a finish_reason [19 no stop]. Send a chunk with finish_reason stop before [DONE].
}
