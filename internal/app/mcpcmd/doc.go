// Package mcpcmd is the command `sidestick mcp`, which lists, changes and tries the MCP servers
// in the files of the user and of the project. It prints no value of a variable or a header.
package mcpcmd
