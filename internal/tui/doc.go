// Package tui is the terminal interface: `sidestick` and `sidestick chat` at a terminal. It shows a
// session as it works, lets the user write messages meanwhile, asks what the session asks, and has
// lists and a pager for the rest.
//
// One goroutine owns everything: it waits for keys, events of the session, questions, timers and
// functions that have ended, changes the state, and paints. Work that may wait (a message that
// hooks see first, a list of models) runs beside it and hands a function back; see beside.go.
// The parts of the interface are values in packages of their own: tui joins them.
//
//   - options.go: [Options] and what a program gives them: [Session], [Commands], [History].
//   - effect.go: [Effect], what a command has the interface do.
//   - tui.go: [Run], and the state of the interface.
//   - loop.go: waiting and what is waited for. beside.go: work beside the loop.
//     reading.go: [Reading], what is read again and again.
//   - notice.go: notices, warnings and errors.
//   - join.go: entering and leaving a session, and its events.
//   - keys.go: which part a key belongs to. actions.go: what the actions of the table of keys do.
//   - send.go: messages, commands, and the queue. commands.go: slash commands.
//   - paste.go: pasted texts that may be the names of files.
//   - own.go: shell commands of the user. meanwhile.go: events that come while a command is at work.
//   - asked.go: what the session asks, and its answers. questions.go: the questions that wait.
//   - mode.go: the modes of the agent. reasoning.go: how much of the reasoning is shown.
//   - queue.go: the list of what is queued. history.go: the list of earlier input.
//   - overlay.go: lists and pages on the whole screen.
//   - borrow.go: the editor, and Ctrl-Z: when the terminal is another program's.
//   - draw.go: the frame.
package tui
