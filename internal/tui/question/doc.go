// Package question shows the questions of a session in the terminal interface and reads their
// answers: permission requests, questions of the model, plans, forms, confirmations of agents. The
// questions themselves are data of package internal/question.
//
// A [Queue] is a value: it knows no session, no terminal and no clock. Each key is given to it
// first, with the time; it says whether the key was its own.
//
// No key that was meant for something else answers a question:
//
//   - A question takes no key for [Settle] after it was first shown. While the input box has text, the
//     question waits above it until the user presses the key of editor.queue. While the box is empty,
//     the question takes the keys by itself once no key came for [Quiet]. One that the user has left
//     takes them only after that key.
//   - A question that follows an answer takes the keys after [Settle], without [Quiet].
//   - A letter or a digit only marks an option: Enter gives the answer. Further letters are text:
//     they go to the input box, and the question waits again. A text field that the letter has opened
//     takes them once it was painted.
//   - The option that is marked at first is never a yes, and a yes counts only after all of the
//     details were painted, and some time after its mark.
//
// The rows of a question begin with a bar wherever their text was written by a model or a server.
// Options never do, so that no text can look like one.
package question
