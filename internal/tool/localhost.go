package tool

import (
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// notConnected matches a line of a program that could not connect to the machine itself. Its groups
// are the port, which may be before or behind the reason.
var notConnected = lazy.Value[[]*regexp.Regexp]{Make: func() []*regexp.Regexp {
	const (
		local  = `(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?|0\.0\.0\.0)`
		port   = `[^\n]{0,30}?(?::|port[ =])(\d{1,5})\b`
		reason = `(?:connection refused|econnrefused|couldn't connect to server|could not connect to server)`
	)
	return []*regexp.Regexp{
		regexp.MustCompile(`(?i)` + local + port + `.*` + reason),
		regexp.MustCompile(`(?i)` + reason + `.*` + local + port),
	}
}}

// localPort returns the port of the machine itself that a line says was not reached, "" if it says no
// such thing.
func localPort(line string) string {
	for _, r := range notConnected.Get() {
		if m := r.FindStringSubmatch(line); m != nil {
			return m[1]
		}
	}
	return ""
}

// otherLocalhost returns what the model reads of a command in a sandbox that could not connect to
// localhost, "" for nothing. That alone is no refusal: its server may not run at all.
func otherLocalhost(output string) string {
	for line := range lastLines(output) {
		if port := localPort(line); port != "" {
			return "<nothing listens on localhost:" + port + " of the sandbox. It has a localhost of its own: servers outside of it cannot be reached; the user can " + leaveBox + ">"
		}
	}
	return ""
}

// listens reports whether a server of the machine listens on a TCP port, as far as the system says so.
func listens(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return false
	}
	suffix := ":" + strings.ToUpper(strconv.FormatUint(0x10000+n, 16)[1:])
	for _, table := range [...]string{"/proc/net/tcp", "/proc/net/tcp6"} {
		data, err := os.ReadFile(table)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(data)) {
			if f := strings.Fields(line); len(f) > 3 && f[3] == listening && strings.HasSuffix(f[1], suffix) {
				return true
			}
		}
	}
	return false
}

// listening is the state of a socket that accepts connections. Source: TCP_LISTEN in
// include/net/tcp_states.h of Linux.
const listening = "0A"
