// Package peerfile reads what files say that were written for Claude Code and for Copilot CLI, in the terms of
// this program: hooks ([ParseHooks]), settings ([ParseSettings]) and names of tools ([ToolNames]).
//
// It opens no file and decides nothing about trust: the loaders do. What a file says and this program does not
// do is a warning, so that nothing is left out without a word. Sources:
// https://code.claude.com/docs/en/hooks, https://code.claude.com/docs/en/settings and
// https://docs.github.com/en/copilot/reference/hooks-configuration
package peerfile
