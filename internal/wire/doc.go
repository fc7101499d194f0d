// Package wire defines the protocol's types for the other packages: those of the official
// GitHub Copilot SDKs, and a few of this program.
//
// Events and results use the generated types of github.com/github/copilot-sdk/go/rpc. This is the
// only package that imports them; the other packages use [Data] and the aliases in vocabulary.go.
// The rest is written by hand: the envelope of an event ([Header], [AppendEvent], [ParseEvent]),
// the streaming deltas on the hot path ([Delta]), and the parameters of session.create and
// similar methods.
//
// Three rules hold for every byte that is sent.
//
//   - An event is encoded once. Clients get the same bytes that the log has, and a log line is
//     never decoded and encoded again, so unknown fields are kept.
//   - A list or map that the protocol requires is [] or {}, never null: four of six SDKs
//     iterate over it without checking for null ([Marshal]).
//   - The timestamp of an event has three digits of milliseconds and a Z, as JavaScript prints
//     it, and no raw U+2028, U+2029 or line feed appears in an event. (Times within data have
//     the SDK's types: milliseconds too, but without trailing zeros.)
//
// [Kinds] says for each event type of the SDK whether it is persisted, whether it is synced
// to the disk under the durability "turn", whether a fork copies it, whether users are shown
// it, and which package emits it. Which events are synced is repeated on purpose in
// synced_test.go, session/powercut_test.go and e2e/torture/damage_test.go. A test fails when a new SDK has a type that is not in it.
//
// The SDK decides which event types exist. An event that this program starts to emit gets an
// alias in vocabulary.go and its flags in kinds.go; session/state/state.go, or settings.go
// there, applies it to the state, and timeline/readers.go shows it to users (timeline/details.go has the fields
// that rows are made of). Information that the SDK has no type for
// is a session.info with fields of this program: see own.go, and infoKinds in kinds.go.
// Package state applies those in session/state/settings.go (applyInfo), and internal in tui/cell/note.go hides them. A
// session.info that carries no state needs no infoKinds; package tui/cell draws it. An event that holds nothing but what a client has
// chosen is recorded as it is if verbatim in session/journal/send.go lists it; all others pass the redaction of secrets.
//
// A field of session.create or session.resume is one of Config in params.go, or has a line in
// unreadsettings.go; the comment of package session says the rest, under "A setting of a client".
package wire
