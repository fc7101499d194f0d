// Package entry enters sessions for the commands at a terminal: it makes the runtime, opens the session
// that the flags name, and passes on what the runtime asks of the user. The line mode (package chat) and
// the terminal interface (package front) use it; neither reading events nor asking is done here.
package entry
