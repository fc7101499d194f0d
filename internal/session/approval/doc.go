// Package approval decides what the tools of a session may do, and keeps what users and
// clients have approved and denied.
//
// Three types share the work for one session, each with state of its own. The policy holds
// the rules and decides by them; it reads no files, asks no client, and its tests need no
// session. [Requests] are the open permission requests: a tool call asks there, and the
// request ends there. [Permissions] are the commands of clients: they read files, then
// change the policy, and have the requests reconsidered. Permissions use Requests and the
// policy, Requests use the policy, and the policy uses neither.
//
// [Questions] are the other open questions to the user. [Grants] has the approvals that
// outlast a session; a [Vault] and [Places] store them. Package permit judges a request by rules; this package
// knows which rules are in force, asks the clients where the rules do not decide, and
// records the answers.
//
// The package knows a session only as [Session]: a goroutine that runs functions, a
// state, and a log. Everything that belongs to a session is read and changed on that
// goroutine. Nothing there waits for a disk: the caller's goroutine first resolves paths and
// reads the file of grants, and saves approvals.
//
// # What always holds
//
//   - A grant in the log counts only if this machine has granted it; a crash can lose a
//     grant and never add one. See docs/decisions/0021-grants-and-the-log.md.
//   - The first answer to a request counts. Each request ends with one
//     permission.completed, which carries the agent id of the thread that asked.
//   - An approval for a location or for always is on disk before a client hears of it,
//     and only the answer that counts is saved.
//   - An answer for one call reads no files and reconsiders no other requests.
//   - A request outlives the client that was asked: any client that is attached, or
//     attaches later, can answer it. If none of the attached clients can decide, the
//     answer is no, at once.
package approval
