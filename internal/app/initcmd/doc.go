// Package initcmd is `sidestick init`, the guided first run: it finds what can be used, asks which of
// it to use, tries it, and writes the settings file.
//
//   - initcmd.go: [Command], and the order of the steps.
//   - offers.go: the list of what was found, and the choice.
//   - model.go: the choice of a model, and the call that tries it.
//   - asking.go: questions at the terminal.
//   - propose.go: what a command that needs a model says if none is configured.
package initcmd
