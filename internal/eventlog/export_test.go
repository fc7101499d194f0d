package eventlog

// Ready reports whether Records would yield something without waiting.
func (t *Tail) Ready() bool {
	t.log.mu.Lock()
	defer t.log.mu.Unlock()
	return !t.gone && (t.cursor < t.upTo || len(t.batch) > 0 || len(t.queue) > 0 || t.log.closed)
}

// MaxQueued is the bound in bytes of a queue.
const MaxQueued = maxQueued
