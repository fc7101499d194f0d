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
// [Questions] are the other open questions to the user. [Grants] is the file of
// approvals that outlast a session. Package permit judges a request by rules; this package
// knows which rules are in force, asks the clients where the rules do not decide, and
// records the answers.
//
// The package knows a session only as [Session]: a goroutine that runs functions, a
// state, and a log. Everything that belongs to a session is read and changed on that
// goroutine. Nothing there waits for a disk: the caller's goroutine first resolves paths and
// reads the file of grants, and saves approvals.
//
// # Files
//
// The policy:
//
//   - policy.go: which rules are in force for a request, what they decide, and what an
//     approval covers
//   - sandbox.go: how commands are confined: settings, and the policy of a command's sandbox
//   - sandboxconfig.go: reads what a client configures for the sandbox
//   - settings.go: how clients change the policy: rules, the permission mode, folders,
//     approvals for a location
//
// The open requests:
//
//   - open.go: [Requests]; those that are open, and those expected after a resume
//   - ask.go: a tool call asks for a permission, and withdraws its request
//   - settle.go: how a request ends: an answer is saved and recorded, and other requests are
//     reconsidered
//   - samerequest.go: whether a request after a resume is the one from before it
//   - request.go: requests and results in the protocol's form
//
// The commands of clients:
//
//   - permissions.go: [Permissions], and how a command gets to the session's goroutine
//   - managed.go: the policy that clients inject, and attempts to bypass it
//   - configure.go: rules and the permission mode; folders.go: the folders that a session
//     may work in; locations.go: approvals for a location
//   - answer.go: the list of open requests, and their answers; offer.go: what an approval of
//     a request allows
//   - sandboxcommands.go: the sandbox of the session
//
// Shared by them:
//
//   - session.go: [Session], what the package needs of a session
//   - files.go: reads what the policy needs to know about files, and saves approvals
//   - paths.go: resolves paths; grants.go: the file of approvals for locations and for
//     always, and of trusted folders
//   - vouch.go: which grants of a session's log count, and how grants are added and removed;
//     sessiongrants.go: their file, one for each session; seal.go: digests that only this
//     machine can make; origin.go: whether this machine
//     has made a session
//
// The open questions, of which questions.go has what they have in common:
//
//   - userquestions.go: questions of ask_user and decisions on plans
//   - signin.go: tokens and headers of MCP servers
//   - flood.go: the bounds of what one MCP server may ask
//   - elicitation.go: forms and web pages, for the model, for programs and for MCP servers
//   - sampling.go: requests of MCP servers for a text of a model
//   - switches.go: what to do with a run that a rate limit, or the limit of the session, has
//     stopped
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
