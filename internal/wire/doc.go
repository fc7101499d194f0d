// Package wire is what clients see: the vocabulary of the official GitHub
// Copilot SDKs, once, for every other package.
//
// Most of it is not ours. Events and results use the generated types of
// github.com/github/copilot-sdk/go/rpc, and this is the one package that
// imports them; [Data] and the aliases in vocabulary.go are how the rest of
// the program names them. What no schema has is written by hand: the envelope
// of an event ([Header], [AppendEvent], [ParseEvent]), the streaming deltas on
// the hot path ([Delta]), and the parameters of session.create and its family
// (params.go).
//
// Three rules hold for every byte that leaves through here.
//
//   - An event is encoded once. The bytes in the log are the bytes each client
//     is sent, and a log line is never decoded and encoded again, so a field
//     that we do not know survives.
//   - A list or map that the protocol requires is [] or {}, never null: four of
//     six SDKs iterate without looking ([Marshal]).
//   - The timestamp of an event has three digits of milliseconds and a Z, as
//     JavaScript prints it, and no raw U+2028, U+2029 or line feed appears in an
//     event. (Times within data are the SDK's types: milliseconds too, but
//     without the zeros at the end.)
//
// [Kinds] says of each event type that the SDK knows whether it outlives the
// process and which package emits it; a test fails when the SDK grows a type
// that nobody has decided on.
package wire
