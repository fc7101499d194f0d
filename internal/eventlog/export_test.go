package eventlog

// Ready reports whether Records would yield something, or end, without waiting.
func (t *Tail) Ready() bool {
	t.log.mu.Lock()
	ended := t.log.closed && !t.ended
	t.log.mu.Unlock()
	return t.Pending() || ended
}

// MaxQueued is the bound in bytes of a queue.
const MaxQueued = maxQueued
