// Package plugin knows which plugins the user has installed, and what is in them. A plugin is
// a folder with skills, agents, commands, hooks and MCP servers; a marketplace is a folder that
// lists plugins. A folder of this machine is used where it is, so that a change to it is in force
// with the next search. A git repository is copied into the user's folder. This package runs no
// file of a plugin; sessions do, see docs/protocol.md.
package plugin
