// Package oauth signs a user in to an MCP server that is a web service: it finds the
// authorization server, registers this program there, sends the user to a page, and exchanges
// the code that comes back for a token. It also refreshes tokens and stores them.
//
// # What always holds
//
//   - A token belongs to the address of one server. [Tokens] finds it under that address only, and
//     a refresh goes to the token endpoint that issued it, whatever the server says later.
//   - Requests leave the host of the server only for https, or for this machine if the server is on
//     this machine, too. A server cannot send this program to an address of a private network, unless its own
//     address is written as such an address. The names of both are not enough: their owners decide to
//     which addresses they lead.
//   - Redirects are followed only for documents, and only within their host. A request that holds a
//     code, a token or a secret is never sent on.
//   - The metadata must be about the server that named it, and about the issuer that it is read from.
//   - The code comes back to a listener on 127.0.0.1, which serves one path, ignores requests with
//     another state, and is closed when the sign-in ends in any way.
//   - Every answer is bounded in size, and every wait in time.
//   - Errors never contain an answer of the token endpoint, apart from its error code and description.
//
// # To change something
//
// Where the id and the secret of a registered client come from: flow.go (Begin, Options) gets
// both from mcp/login.go (begin), which takes the id from the configuration of a server and the
// secret from the method session.mcp.oauth.login. The command app/mcpcmd/login.go (signIn) brings
// no secret. token.go (Token) keeps a copy of the secret for refreshes, and so does the file of
// store.go: a secret that must not be in that file has to be fetched again at each refresh.
// Package session opens the file (registry.go, OpenTokens) and chooses between it and memory:
// session/servers/servers.go (tokensFor).
//
// Source: https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
package oauth
