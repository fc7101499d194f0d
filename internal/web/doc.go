// Package web is the door for people who chat elsewhere: sessions behind HTTP, as an
// agent of the Copilot Extensions protocol, and as a model of OpenAI's.
//
// # The agent, POST /
//
// A thread is a session: its id is a hash of the thread's, so that a thread that goes
// on a week later, after restarts, goes on in the same session. What the person wrote
// last is its next message; files and selections of their editor, and whatever else
// the request refers to, are attached. The answer's text streams as it comes.
//
// What the session asks (a permission, or a question of yes or no) ends the answer with
// a confirmation. The question stays open in the session, on disk. The person's
// decision comes with a later request, counts once, and that request's answer is the
// rest of the run. A confirmation carries a sealed [ticket]: one that was changed, is
// another thread's, or was decided before, is refused, and nothing happens. Whoever
// writes on without deciding has denied a permission. A question in words is put as
// text, and the next message answers it; what that refers to reaches the model, too.
//
// The other rules: one answer at a time for a thread, a second request is refused as
// busy. The person's disconnect aborts the run, but never an open question. Files that
// tools have read or changed, and pages they fetched, become references when the run
// ends. An error of the run becomes copilot_errors; a tool that failed does not, for
// the model reads it and does something about it, unless the run ends without a word.
// If the model is an agent of somebody else's, what it refers to, reports and asks is
// passed on.
//
// # The model, POST /v1/chat/completions
//
// Each request is a run in a session of its own, which reads the earlier messages as an
// attached text. Nobody can be asked, so what no rule allows is denied. OpenAI's clients
// repeat failed requests, and a repeated request would act again; so the failure of a run
// in which a tool has begun is one that they do not repeat, and requests with the same
// Idempotency-Key share a run.
//
// # Who gets in
//
// Requests to the agent are signed by the platform, those to the model bring a token.
// Where neither is configured, only requests of this machine are answered, see
// [Options]. Pages of other origins are never answered.
//
// # Where to read
//
// door.go puts it together, guard.go is in front, listen.go around. turn.go is a
// request to the agent from beginning to end; it takes a seat (seats.go, seat.go) in
// a session (thread.go), where words.go makes answers of what is written on, and a
// telling (telling.go) tells what happens there.
// question.go and markdown.go are what people read, seal.go and key.go what they
// cannot forge, attach.go and history.go what the session reads, sources.go what it
// refers to. chat.go, chatrequest.go and completion.go are the model,
// chatrun.go is a run of it, and idempotency.go the runs that a repeated request finds.
package web
