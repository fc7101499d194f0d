// Package approval decides what the tools of a session may do, and keeps what users and
// clients have approved and denied.
//
// [Permissions] are those of one session: the rules in force, the open permission
// requests, and their answers. [Questions] are the other open questions of tools to the
// user. [Grants] is the file of approvals that outlast a session. Package permit judges a
// request by rules; this package knows which rules are in force, asks the clients where
// the rules do not decide, and records the answers.
//
// The package knows a session only as [Session]: a goroutine that runs functions, a
// state, and a log. Its tests need no more. Everything that belongs to a session is read
// and changed on that goroutine. Nothing there waits for a disk: the caller's goroutine
// reads before where paths lead and what the file of grants holds, and saves approvals.
//
// # Files
//
//   - permissions.go: [Permissions], what they need of a session, and how a command gets
//     to its goroutine
//   - rules.go: which rules are in force for a request, and what they decide
//   - configure.go: what clients set: rules, the permission mode, addresses; and the
//     list of open requests
//   - folders.go: the folders that a session may work in; paths.go: where paths lead
//   - locations.go: approvals for a location; grants.go: the file that they are kept in,
//     with trusted folders and addresses
//   - ask.go: a tool call asks for a permission; open.go: the requests that are open;
//     samerequest.go: whether a request after a resume is the one from before it
//   - answer.go: a client answers, and what an approval covers; offer.go: what a user
//     would approve
//   - request.go: requests and results in the protocol's form
//   - questions.go: questions of ask_user and decisions on plans
//
// # What always holds
//
//   - The first answer to a request counts. Each request ends with one
//     permission.completed, which carries the agent id of the thread that asked.
//   - An approval for a location or for always is on disk before a client hears of it,
//     and only the answer that counts is saved.
//   - A request outlives the client that was asked: any client that is attached, or
//     attaches later, can answer it. If none of the attached clients can decide, the
//     answer is no, at once.
package approval
