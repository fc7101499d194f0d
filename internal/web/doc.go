// Package web serves sessions over HTTP to clients that do not speak JSON-RPC: as an agent
// of the Copilot Extensions protocol, and as a model for OpenAI clients.
//
// # The agent, POST /
//
// Each thread has a session, whose id is a hash of the thread's, so that a thread that
// continues after a week or a restart continues in the same session. The user's last
// message is the session's next message; files, selections and other references of the
// request are attached. The text of the answer streams as it comes.
//
// A question of the session (a permission, or a question of yes or no) ends the answer
// with a confirmation. The question stays open in the session, on disk. The user's
// decision comes with a later request and counts once; that request's answer is the rest
// of the run. A confirmation carries a signed [ticket]. A ticket that was changed, belongs
// to another thread or was decided before is refused, and nothing happens. A new message
// instead of a decision denies a permission. Any other question is written as text, and
// the next message answers it; the references of that message reach the model, too.
//
// A thread has one answer at a time; a second request is refused as busy. If the user
// disconnects, the run is aborted, but an open question stays open. Files that tools have
// read or changed, and pages that they fetched, become references when the run ends. An
// error of the run becomes copilot_errors. A failed tool does not, because the model reads
// the failure and reacts to it, unless the run ends without a word. If the model is itself
// an agent, its references, errors and confirmations are passed on.
//
// # The model, POST /v1/chat/completions
//
// Each request is a run in a session of its own, which reads the earlier messages as an
// attached text. Nobody can be asked, so a call that no rule allows is denied. OpenAI's
// clients repeat failed requests, and a repeated request would act again; so the failure
// of a run in which a tool has begun is one that they do not repeat, and requests with the
// same Idempotency-Key share a run.
//
// # Who gets in
//
// The platform signs requests to the agent; requests to the model carry a token. Without
// keys or a token, only requests from this machine are answered, see [Options]. Pages of
// other origins are never answered. All chats at POST / have the sessions of [Options]: a gate for several tenants
// has to be asked in thread.go, too, and for signed requests.
//
// # A console
//
// There is no web console yet; its pages belong here. A page is a route of the door with a file
// of its own; the guard takes a token only from a header that a browser does not send for a page.
// Package session/listing lists the sessions and announces changes. Live of session/registry says
// what those in memory do, and its Tail reads one without opening it, also while another process
// works in it. All of these are of one home; beside SDK programs, chats have a home of their own.
// Package timeline makes rows of events. A stream that lasts calls hold, or its connection is given up for another one.
package web
