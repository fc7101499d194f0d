// Package tui is the terminal interface: `sidestick` and `sidestick chat` at a terminal. It shows a
// session as it works, lets the user write messages meanwhile, asks what the session asks, and has
// lists to choose from (sessions, models, changes) and a pager for long texts.
//
// One goroutine owns everything: it waits for keys, events of the session, questions, timers and
// functions that have ended, changes the state, and paints. Work that may wait (a message that
// hooks see first, a list of models) runs beside it and hands a function back; see beside.go.
// The parts of the interface are values in packages of their own: tui joins them.
//
// # To change something
//
// A key: the comment of package keymap. A slash command: that of package session/slash; one that the
// interface carries out itself, such as /history, is in commands.go (Does, command) or actions.go (byCommand).
// A list or a view: that of package page. A row of the conversation and the status line: that of package cell.
// The letters and the rows of a question: package tui/question; its options: package internal/question.
//
// Something that a command has the interface do: a field of [Effect], and apply in commands.go, which
// carries the fields out in their order.
//
// What the interface does on an event, besides showing it: take in join.go. Package cell shows the event.
//
// Something that the interface needs of the program: a field of [Options]. desk.options in app/front/front.go fills
// in what does not depend on a session; Show there is for sessions of this process, and app/front/connect.go (show)
// for those of a server.
//
// Something that the interface needs of a session: a method of [Session], in app/front/embedded.go for this
// process and in app/front/attached.go for a server, with a call in package remote. The tests have a third
// one in harness_test.go. What the status line shows when a session is entered is a field of [Description].
//
// A setting: the comment of package config, "A new setting of the terminal interface".
//
// The loop must not wait: beside runs work that may, and tell passes orders on to the session,
// which reach it in their order.
package tui
