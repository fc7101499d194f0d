// Package extension speaks the Copilot Extensions agent protocol, both sides: it
// makes an agent of one function, and it calls agents.
//
// # An agent
//
//	h := extension.NewHandler(func(ctx context.Context, r *extension.Request, w *extension.Writer) error {
//		return w.Text("You said: " + r.Prompt())
//	}, extension.HandlerOptions{Keys: keys})
//
// The handler verifies who calls, decodes what is asked, and ends the answer as the
// protocol wants it, whatever the function does. A function that wants a person's yes
// calls [Writer.Confirm] and returns; the answer comes with a later request, as
// [Request.Decision]. [NewSkillHandler] is for the simpler form, one function that a
// model on the platform calls.
//
// # A platform
//
//	c := extension.NewClient(extension.ClientOptions{Signer: signer})
//	for e, err := range c.Call(ctx, "https://agent.example", request) { ... }
//
// [Client.Call] takes every form of answer that agents were seen to give, and yields
// [Event]s. A [Thread] keeps the conversation, the references of earlier turns and
// the open confirmations. [Check] judges an agent's stream as strictly as the
// protocol allows, for authors.
//
// # What is absent
//
// The agent runs its own model, if it has one. Nothing here stores anything.
//
// The protocol is described in docs/extensions.md, statement by statement, with the
// test that holds each.
package extension
