// Package initcmd is `sidestick init`, the guided first run: it finds what can be used, asks which of
// it to use, tries it, and writes the settings file.
//
// Begin with [Command].
package initcmd
