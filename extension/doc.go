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
//   - An agent: agent.go and handler.go. guard.go checks a request before the agent runs:
//     verify.go its signature with the keys of keys.go and fetchkeys.go, replayedrequest.go
//     whether it was sent before. decode.go reads it, request.go has
//     what the agent asks of it. writer.go writes the
//     answer, writerstream.go the answer of a model that is passed on, answer.go the JSON
//     of references, confirmations and errors, and ending.go what comes after the text.
//     skill.go is the simpler form.
//   - A platform: client.go, thread.go, encode.go (the request), exchange.go (one call),
//     signer.go, callskill.go, status.go (an agent that answers with an error).
//   - Reading answers: reply.go, event.go (what is yielded), replyform.go (a stream, JSON
//     or text), replyframing.go (lines of a stream), replyevents.go, replychunk.go,
//     replyentries.go (references, confirmations, errors).
//   - Checking answers: check.go, rules.go.
//   - Both sides: message.go (the types), jsonfields.go and jsonscan.go (reading JSON).
//
// # What is absent
//
// The agent runs its own model, if it has one. Nothing here stores anything.
//
// The protocol is described in docs/extensions.md, statement by statement, with the
// test that holds each.
package extension
