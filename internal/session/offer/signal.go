package offer

// Signal announces the changes of a source of tools. The zero value is ready. It belongs to the
// session's goroutine.
type Signal struct{ waiting chan struct{} }

// Next returns a channel that the next Send closes.
func (s *Signal) Next() <-chan struct{} {
	if s.waiting == nil {
		s.waiting = make(chan struct{})
	}
	return s.waiting
}

// Send announces a change to all that wait for one.
func (s *Signal) Send() {
	if s.waiting != nil {
		close(s.waiting)
		s.waiting = nil
	}
}
