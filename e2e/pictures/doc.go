// Package pictures draws the pictures of docs/terminal.md, and fails when one of them is out of date.
// It contains only tests.
//
//	go test ./e2e/pictures -update
//
// The test starts the program at a pseudo-terminal, types keys, waits until the screen shows what it
// should, and writes the screen of an emulator as SVG into docs/pictures. A script plays the model.
// Values that differ from one run to the next, such as times, are replaced by fixed text.
package pictures
