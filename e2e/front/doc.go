// Package front tests the terminal interface from outside: the program on a terminal, read by an
// emulator, with keys that are pressed one after the other, and a scripted model as its provider. It
// contains only tests. A test waits for what the screen shows, never for a time.
//
//   - desk_test.go: the program, and what a test does with it; pty_test.go: its terminal;
//     written_test.go: what it must never write, and what it must leave.
//   - talk_test.go: messages, the queue, interrupting, leaving.
//   - asked_test.go: questions. pages_test.go: lists and pages. box_test.go: the input box.
//   - left_test.go: what is left of the terminal after the program. failing_test.go: providers that
//     fail, processes that are killed.
//   - connect_test.go: sessions of a server, with two terminals.
//   - tmux_test.go: sizes that change, Ctrl-Z, editors: in tmux.
//   - monkey_test.go: random keys. Longer: -front.monkey 5m.
//   - measure_test.go: times and sizes, with -bench.
package front
