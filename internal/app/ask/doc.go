// Package ask asks the user at a terminal, one question at a time. It prints a question of package
// internal/question, and reads lines until one of them is an answer. It knows nothing of
// sessions' events.
//
// Begin with [Asker].
package ask
