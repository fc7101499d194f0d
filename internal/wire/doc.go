// Package wire is the vocabulary that clients see, that of the official GitHub Copilot
// SDKs, for every other package.
//
// Most of it is not ours. Events and results use the generated types of
// github.com/github/copilot-sdk/go/rpc, and this is the one package that
// imports them; [Data] and the aliases in vocabulary.go are how the rest of
// the program names them. The rest is written by hand: the envelope
// of an event ([Header], [AppendEvent], [ParseEvent]), the streaming deltas on
// the hot path ([Delta]), and the parameters of session.create and its family
// (params.go).
//
// Three rules hold for every byte that is sent.
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
// [Kinds] says for each event type of the SDK whether it is persisted and which package
// emits it; a test fails when a new SDK has a type that is not in it.
//
// The SDK decides which event types exist. An event that this program starts to emit
// gets an alias in vocabulary.go and its flags in kinds.go; the state reads it in
// session/state/state.go, and people see it by timeline/readers.go. Something that the
// SDK has no type for is a session.info with fields of our own: own.go and infoKinds in
// kinds.go.
//
// vocabulary.go has the aliases, kinds.go that table, own.go what this program adds to
// events. event.go, delta.go, id.go and string.go print events; marshal.go encodes other
// values and raw.go reads JSON in place. params.go has the parameters and results that are
// written by hand, sdkparams.go those that are the SDK's; decision.go and approval.go have
// what clients decide on permissions, taskcomplete.go and notfound.go one
// event and one error that the SDKs look for, compact.go removes white space.
package wire
