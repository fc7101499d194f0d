package localserver

import "os"

// Measure returns the memory of this machine, and of its container.
func Measure() Memory {
	text, _ := os.ReadFile("/proc/meminfo") // else it is not known
	limit, _ := os.ReadFile("/sys/fs/cgroup/memory.max")
	used, _ := os.ReadFile("/sys/fs/cgroup/memory.current")
	stat, _ := os.ReadFile("/sys/fs/cgroup/memory.stat")
	return parseMeminfo(text).within(limit, used, stat)
}
