// Package model makes one call to a language model. [Client.Stream] turns a [Request]
// into one exchange with an [Endpoint] and the answer, streamed or whole, into one
// [Response].
//
// A [Dialect] is a protocol that models are called by. Each has a package of its own
// below this one:
//
//   - chat: OpenAI-compatible chat completions, which the Copilot API speaks too
//   - responses: OpenAI's Responses, which newer models are served by
//   - anthropic: Anthropic's Messages
//   - gemini: Google's Gemini API
//   - bedrock: Converse of AWS Bedrock
//   - ollama: the native API of Ollama
//   - extensions: agents of Copilot Extensions, called as if they were models
//
// To add a dialect, add a package beside those that returns a [Dialect], and pass it
// to [New] in internal/app/wiring/process.go (Models), which every command uses. Which dialect a
// provider speaks follows from its configuration: config/provider.go and config/vendor.go,
// app/wiring/provider.go for the process, and session/provider/client.go and dialect.go for what a
// client of the SDK sends; app/doctor_provider.go (takesCalls) knows the address of chat completions,
// and app/doctor_network.go the names that users read.
// modeltest is a fake of chat completions; the tests of another dialect bring their own, as
// those of extensions do. A dialect that sends a JSON request over HTTP and reads a stream of
// events fills in a [Protocol] and gets everything else from this package; one with a
// transport of its own implements [Dialect] itself, as package extensions does.
//
// Package schema rewrites the schemas of tools for [Tool.Encoded], and known is the catalogue of
// models: limits, prices and abilities. Package modeltest is a fake provider for tests and
// demonstrations, and dialecttest what the tests of all dialects share.
//
// # What a caller can rely on
//
//   - A Response is a complete answer. A stream that was cut, or that ends
//     without saying so, is an error, however much text arrived before.
//   - Deltas come in order, on the calling goroutine, before Stream returns. After
//     the first delta the call is never tried again, so no text is repeated.
//   - Tool-call arguments are carried as the text the model produced, byte for
//     byte, in both directions. Every tool call in a Response has an id, unique
//     within it.
//   - Stream ends. The context ends it at once; silence ends it after
//     [Client.Silence], and a server that only keeps the connection alive counts as silent; retries
//     are counted and their waiting is bounded by [Retry]; each [Repair] is made at most once.
//   - Tools may have any name, and any schema of an object: see [WireName] and [Tool.Encoded].
//   - Every error is a [*fault.Error]. Unless the caller's context ended it, there
//     is an [*Error] inside, whose Category is the errorType of a session.error event.
//   - No credential appears in an error or a log line.
//
// The package does not store, shorten or check the history: messages are sent as given, except
// for reasoning, which goes back only to the model and the account that it came from, and only if
// nothing before it has changed.
package model
