// Package front tests the terminal interface from outside: the program on a terminal, read by an
// emulator, with keys that are pressed one after the other, and a scripted model as its provider. It
// contains only tests. A test waits for what the screen shows, never for a time.
package front
