// Package question has what the user is asked, as data: the heading, the details that the user
// needs to decide, the options with what each of them allows, and the answer that a choice gives.
// It prints nothing and reads no key. The line mode (package app/ask) and the terminal interface
// (package tui/question) show the same questions, so the rules about answers are here, once.
//
// All text in a [Question] is safe to print: what the user decides about went through
// [timeline.Exposed], and prose of a model or a server through [timeline.Harmless].
package question
