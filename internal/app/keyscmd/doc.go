// Package keyscmd is `sidestick keys`: the keys of model providers that Sidestick keeps.
//
//   - keyscmd.go: [Command], and what its subcommands share; read.go: a key from stdin or the
//     terminal.
//   - set.go, list.go, remove.go: one subcommand each; [Ask] is `keys set` for other commands.
package keyscmd
