package shell

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// members are the living processes of a session, and those that descend from them
// or from its leader, whatever group or session they are in now.
func members(session int) (pids []int, known bool) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, false // cannot happen: the pattern is good
	}
	children := map[int][]int{}
	alive := map[int]bool{}
	found := []int{session}
	for _, name := range stats {
		line, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		pid, st, ok := parseStat(line)
		if !ok {
			continue
		}
		alive[pid] = st.state != 'Z' && st.state != 'X'
		if st.session == session && pid != session {
			found = append(found, pid)
		} else {
			children[st.parent] = append(children[st.parent], pid)
		}
	}
	for i := 0; i < len(found); i++ {
		found = append(found, children[found[i]]...)
		delete(children, found[i])
	}
	living := found[:0]
	for _, pid := range found {
		if alive[pid] {
			living = append(living, pid)
		}
	}
	return living, true
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
