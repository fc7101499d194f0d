// Package mcpcmd is the command `sidestick mcp`, which lists, changes and tries the MCP servers
// in the files of the user and of the project. It prints no value of a variable or a header.
//
//   - mcpcmd.go: the command itself; finding a server by its name.
//   - list.go: `mcp list`.
//   - add.go: `mcp add`; remove.go: `mcp remove`.
//   - login.go: `mcp login` and `mcp logout`.
//   - test.go: `mcp test`; attempt.go: starting servers without a session.
package mcpcmd
