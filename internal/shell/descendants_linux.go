package shell

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// members are the living processes of some sessions, and those that descend from
// them, whatever group or session they are in now. Sessions of such descendants are
// added: what else is in them may have lost its parent by the next time.
func members(sessions map[int]bool) (pids []int, known bool) {
	all := snapshot()
	found := map[int]bool{}
	for grown := true; grown; {
		grown = false
		for pid, st := range all {
			if !found[pid] && (sessions[st.session] || found[st.parent] || sessions[st.parent]) {
				found[pid], grown = true, true
				sessions[st.session] = st.session > 0 // 0 is of another namespace, or the kernel's
			}
		}
	}
	for pid := range found {
		if st := all[pid].state; st != 'Z' && st != 'X' {
			pids = append(pids, pid)
		}
	}
	return pids, true
}

// snapshot is what /proc says of every process.
func snapshot() map[int]stat {
	names, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil // cannot happen: the pattern is good
	}
	all := make(map[int]stat, len(names))
	for _, name := range names {
		line, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		if pid, st, ok := parseStat(line); ok {
			all[pid] = st
		}
	}
	return all
}

type stat struct {
	state           byte
	parent, session int
}

// parseStat reads /proc/PID/stat: the id, the name in parentheses, which may hold
// anything, then state, parent, group, session. Source: proc_pid_stat(5).
func parseStat(line []byte) (pid int, st stat, ok bool) {
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 1 || end < open {
		return 0, stat{}, false
	}
	fields := bytes.Fields(line[end+1:])
	if len(fields) < 4 {
		return 0, stat{}, false
	}
	pid, err1 := strconv.Atoi(string(bytes.TrimSpace(line[:open])))
	parent, err2 := strconv.Atoi(string(fields[1]))
	session, err3 := strconv.Atoi(string(fields[3]))
	return pid, stat{fields[0][0], parent, session}, err1 == nil && err2 == nil && err3 == nil
}
