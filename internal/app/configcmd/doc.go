// Package configcmd is `sidestick config`: the settings in files, and where the value of each
// setting comes from.
//
//   - configcmd.go: [Command], and what its subcommands share.
//   - show.go, set.go, edit.go: `config show`; `config set` and `config unset`; `config edit` and
//     `config path`.
//   - value.go: values as they are typed, checked and completed.
package configcmd
