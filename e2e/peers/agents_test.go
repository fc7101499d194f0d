package peers_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/extension"
)

func TestExampleAgentsSayHello(t *testing.T) {
	for _, example := range []string{"hello-world", "hello-world-without-sdk"} {
		t.Run(example, func(t *testing.T) {
			url := agent(t, example, newStandIn(t))
			c := extension.NewClient(extension.ClientOptions{})
			got, err := collect(c.NewThread(url).Say(soon(t), "hello"))
			if err != nil || got.text != "Hello, world!" || len(got.warnings) > 0 {
				t.Errorf("the answer is %+v, %v", got, err)
			}
		})
	}
}

// The agent verifies us by the key that we publish, asks its model in the person's
// name, and streams the answer, with [DONE] twice.
func TestASignedRoundTrip(t *testing.T) {
	github := newStandIn(t)
	url := agent(t, "prompt", github)
	thread := extension.NewClient(extension.ClientOptions{Signer: github.signer}).NewThread(url)
	thread.Token = "gho_of_ann"
	for _, prompt := range []string{"How are the tides?", "And tomorrow?"} {
		got, err := collect(thread.Say(soon(t), prompt))
		if err != nil || got.text != "Arr, @ann!" {
			t.Fatalf("the answer to %q is %+v, %v", prompt, got, err)
		}
	}
	last := github.asked[len(github.asked)-1]
	for _, part := range []string{"How are the tides?", "Arr, @ann!", "And tomorrow?"} {
		if !strings.Contains(last, part) {
			t.Errorf("the model was asked %s, want %q in it", last, part)
		}
	}
	if github.tokens[0] != "Bearer gho_of_ann" {
		t.Errorf("the model was shown %q", github.tokens)
	}
}

func TestAnUnsignedRequestIsRefused(t *testing.T) {
	github := newStandIn(t)
	url := agent(t, "prompt", github)
	stranger, err := extension.GenerateSigner()
	if err != nil {
		t.Fatal(err)
	}
	for name, signer := range map[string]*extension.Signer{"unsigned": nil, "signed by a stranger": stranger} {
		thread := extension.NewClient(extension.ClientOptions{Signer: signer}).NewThread(url)
		thread.Token = "gho_of_ann"
		got, err := collect(thread.Say(soon(t), "hello"))
		var status *extension.StatusError
		if !errors.As(err, &status) || status.Status != 500 || got.text != "" { // what it is: any error
			t.Errorf("%s: the answer is %+v, %v; want status 500", name, got, err)
		}
	}
	if len(github.asked) > 0 {
		t.Error("the model was asked")
	}
}

func TestConfirmationsAreAskedAndDecided(t *testing.T) {
	github := newStandIn(t)
	url := agent(t, "prompt-with-user-confirmation", github)
	for accepted, want := range map[bool]string{
		true: "Thank you for confirming you like oranges!", false: "Thank you for letting me know you don't like oranges!",
	} {
		thread := extension.NewClient(extension.ClientOptions{Signer: github.signer}).NewThread(url)
		thread.Token = "gho_of_ann"
		got, err := collect(thread.Say(soon(t), "an orange, please"))
		if err != nil || len(got.confirmations) != 1 {
			t.Fatalf("the answer is %+v, %v; want one confirmation", got, err)
		}
		question := got.confirmations[0]
		if question.Title != "Please confirm?" || question.Message != "So you like oranges?" || string(question.Data) != `{"id":"123"}` {
			t.Errorf("asked is %+v", question)
		}
		if got, err = collect(thread.Decide(soon(t), question, accepted)); err != nil || got.text != want {
			t.Errorf("accepted %v: the answer is %+v, %v", accepted, got, err)
		}
	}
}
