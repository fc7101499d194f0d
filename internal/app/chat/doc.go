// Package chat has the commands `sidestick run`, `sidestick chat` and `sidestick agent chat`, and the
// line mode: it sends messages, follows the run that answers, and asks the user what the session asks.
// Package ask prints questions, package show prints events, and package entry opens the session. A chat at a
// terminal that can move its cursor has the terminal interface instead (package front), unless the user
// wants the line mode (`--plain`).
package chat
