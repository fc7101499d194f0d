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
// protocol wants it, whatever the function does. A function that needs the user's yes
// calls [Writer.Confirm] and returns; the answer comes with a later request, as
// [Request.Decision]. [NewSkillHandler] is for the simpler form, one function that a
// model on the platform calls.
//
// # A platform
//
//	c := extension.NewClient(extension.ClientOptions{Signer: signer})
//	for e, err := range c.Call(ctx, "https://agent.example", request) { ... }
//
// [Client.Call] takes every form of answer that agents are known to give, and yields
// [Event]s. A [Thread] keeps the conversation, the references of earlier turns and
// the open confirmations. [Check] judges an agent's stream as strictly as the
// protocol allows, for authors.
//
// # Files
//
//   - An agent: agent.go, handler.go, admit.go (who is let in), verify.go, keys.go,
//     fetch.go and replay.go (signatures), request.go, decode.go, entries.go and fields.go
//     (what is asked), writer.go, answer.go, framing.go and held.go (what is answered),
//     pass.go (the answer of a model, passed on), skill.go (skillsets), message.go (the
//     types of both sides), status.go (errors with a status).
//   - A platform: client.go, thread.go, encode.go, exchange.go, signer.go, callskill.go.
//   - Reading answers: reply.go, form.go, shapes.go, event.go, chunk.go, scan.go.
//   - Checking answers: check.go, rules.go.
//
// # What is absent
//
// The agent runs its own model, if it has one. Nothing here stores anything.
//
// The protocol is described in docs/extensions.md, statement by statement, with the
// test that holds each.
package extension
