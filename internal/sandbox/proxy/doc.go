// Package proxy is the only way to the network for commands in a sandbox. The sandbox has
// no network of its own; a listener inside it is handed out, and [Proxy.Serve] serves it in
// this process, which has the network.
//
// One port serves two protocols, which the first byte tells apart: 5 begins SOCKS5, anything
// else is HTTP. SOCKS5 has CONNECT only and needs no password. HTTP has CONNECT, and requests
// for http:// addresses, one per connection.
//
// # What it lets through
//
//  1. The host is put into one form: lower case, no dot at its end, an IP address as
//     [net/netip] writes it. Everything else is refused: names that are not ASCII, escapes,
//     and numbers that some programs read as an IPv4 address, such as 127.1 and 0x7f000001.
//  2. [Options.Decide] decides from host, port and, for plain HTTP only, the path;
//     [permit.Rules.Connect] is the usual one. A refused name is not looked up, so that names
//     cannot carry data out.
//  3. The name is looked up once, every address is checked, and a checked address is dialed
//     ([dial.Connector]): nothing on this machine or in private networks, unless
//     [Options.AllowLocalNetwork] is set. With [Options.Upstream] that proxy looks names up,
//     and only the text of the host is checked here.
//
// A refused HTTP request gets status 403 with the reason in its status line and what to do in
// its body; SOCKS5 gets reply 2. [Proxy.Refused] returns the reasons, so that the user can be
// asked whether the command may run again, outside the sandbox.
//
// Begin with [Options] and [New].
package proxy
