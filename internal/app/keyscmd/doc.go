// Package keyscmd is `sidestick keys`: the keys of model providers that Sidestick keeps.
//
// Begin with [Command] and [Ask].
package keyscmd
