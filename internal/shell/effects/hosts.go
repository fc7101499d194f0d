package effects

import (
	"slices"
	"strings"
)

// checkHosts finds arguments with which tar or rsync connects to another machine, and patterns
// whose matches may be such arguments: both take a name with a colon before the first slash for
// a file on another machine. Sources: GNU tar manual, "--force-local"; man rsync.
func (r *reader) checkHosts(program string, args []word) {
	local := program == "tar" && slices.ContainsFunc(args, func(w word) bool { return w.text == "--force-local" })
	archive := archiveWords(args)
	for i, a := range args {
		switch {
		case program == "tar" && namesHost(a.text):
			r.hidden("tar runs another program to read " + a.text)
		case program == "tar" && !local && a.pattern && mayNameHost(a.text) && slices.Contains(archive, i):
			r.hidden("a pattern may match the name of an archive on another machine")
		case program == "rsync" && !strings.HasPrefix(a.text, "-") && (namesHost(a.text) || a.pattern && mayNameHost(a.text)):
			r.hidden("rsync connects to another machine for " + a.text)
		}
	}
}

// namesHost reports whether tar may take an argument for an archive on another machine.
func namesHost(arg string) bool {
	host, _, found := strings.Cut(strings.TrimPrefix(arg, "--file="), ":")
	return found && !strings.Contains(host, "/") && !strings.HasPrefix(host, "--")
}

// mayNameHost reports whether a match of a pattern may hold a colon before its first slash.
func mayNameHost(pattern string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(pattern, "--file="), "/")
	return strings.ContainsAny(first, wildcards)
}

// archiveWords returns the indexes of the arguments of tar that may name an archive: options,
// arguments after an option, and the values of the letters that may come first without a dash.
func archiveWords(args []word) (indexes []int) {
	for i, a := range args {
		if strings.HasPrefix(a.text, "-") || i > 0 && strings.HasPrefix(args[i-1].text, "-") {
			indexes = append(indexes, i)
		}
	}
	if len(args) == 0 || strings.HasPrefix(args[0].text, "-") {
		return indexes
	}
	values := 0
	for _, letter := range args[0].text {
		if strings.ContainsRune("bCfFgHIKLNTVX", letter) {
			values++
			indexes = append(indexes, values)
		}
	}
	return indexes
}
