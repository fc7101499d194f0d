package proctree

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// descendants returns the living processes of some process sessions and all their
// descendants, in every process group and session. It adds the sessions of
// descendants to sessions: other processes in them may have lost their parent by the next
// call.
func descendants(sessions map[int]bool) (pids []int, known bool) {
	all := processTable()
	found := map[int]bool{}
	for added := true; added; {
		added = false
		for pid, st := range all {
			if !found[pid] && (sessions[st.session] || found[st.parent] || sessions[st.parent]) {
				found[pid], added = true, true
				sessions[st.session] = st.session > 0 // 0: of another namespace, or of the kernel
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

// processTable returns what /proc says about every process.
func processTable() map[int]stat {
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

// stat is one process as /proc describes it.
type stat struct {
	state           byte
	parent, session int
}

// parseStat reads /proc/PID/stat: the id, the name in parentheses, which may hold any
// character, then state, parent, group, session. Source: proc_pid_stat(5).
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
