// Package configcmd is `sidestick config`: the settings in files, and where the value of each
// setting comes from.
//
// Begin with [Command].
package configcmd
