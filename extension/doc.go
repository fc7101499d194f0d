// Package extension implements both sides of the Copilot Extensions agent protocol. With it
// a program can be an agent, which is one function behind an HTTP handler, or a platform,
// which sends users' messages to agents and reads their answers.
//
// # Write an agent
//
//	h := extension.NewHandler(func(ctx context.Context, r *extension.Request, w *extension.Writer) error {
//		return w.Text("You said: " + r.Prompt())
//	}, extension.HandlerOptions{Keys: keys})
//	http.ListenAndServe("localhost:8080", h)
//
// The handler verifies the caller, decodes the request, and completes the answer according
// to the protocol even if the function fails. [Request] has the conversation;
// [Request.Prompt], [Request.Find] and [Request.Conversation] return its usual parts.
// [Writer] sends text, references and errors; [Writer.Stream] passes on a model's answer.
//
// To ask the user for confirmation, the function calls [Writer.Confirm] and returns. The
// decision comes with a later request, and [Request.Decision] returns it.
//
// Keys is a [KeySource] with the public keys of the platform that calls the agent:
// [FixedKeys] or [FetchKeys]. To try an agent on your own machine without signatures, set
// Unsigned; web pages and other machines are still refused, unless Hosts is set. [NewSkillHandler]
// serves a skill, the simpler form of an extension: one function that a model on the platform calls.
//
// # Call agents
//
//	c := extension.NewClient(extension.ClientOptions{Signer: signer})
//	for e, err := range c.Call(ctx, "https://agent.example", request) { ... }
//
// [Client.Call] sends one request and yields the answer as [Event] values. It reads every
// form of answer that agents are known to send. [Client.NewThread] returns a [Thread], which
// keeps the conversation, the references of earlier answers and the open confirmations.
// [Client.CallSkill] calls a skill. [Signer] signs requests.
//
// # Check agents
//
// [Check] checks an agent's answer strictly and reports each broken [Rule], for authors of
// agents. [ReadReply] reads an answer and tolerates what it can.
//
// # Errors
//
// The text of an error says what failed and why. [errors.Is] finds its kind, which tells the
// caller what it can do: [ErrInvalid], [ErrDenied], [ErrNotFound], [ErrConflict],
// [ErrUnavailable] and [ErrCanceled]. It also finds [ErrUnknownKey] and the error of a context;
// [errors.As] finds a [*StatusError].
//
// # What this package does not do
//
// It runs no model and stores nothing. It does not show anything: texts of agents may
// contain control characters, see [Event].
//
// docs/extensions.md describes the protocol, with a test for each statement.
package extension
