// Package serve runs Sidestick as a server until its client or a signal ends it.
//
//   - server.go: the drop-in, which programs on the GitHub Copilot SDKs start
//     (`sidestick --headless` and `--server`), over stdio or TCP; the flags of every
//     way to serve.
//   - extension.go: the command `sidestick serve`, and with --extension the HTTP server
//     of package web: an agent for Copilot Extensions and a model for OpenAI clients.
//   - collector.go: how often the memory of a server is collected.
//   - keys.go: the public keys that requests to the extension are signed with.
package serve
