package shell

// OnEnd sets the function that gets a command whose call returned while the command ran, when it has
// ended and no [Report] has said so: nobody may ever read it. A command that Close ends is not
// passed on. f is called on a goroutine that Close waits for. OnEnd is called before the first Run.
func (s *Shells) OnEnd(f func(Info)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onEnd = f
}

// leave waits for the end of a command whose call has returned. mu is held.
func (s *Shells) leave(sh *shell) {
	if j := sh.job; s.onEnd != nil && !j.left && !s.closed {
		j.left = true
		s.wg.Go(func() {
			<-j.done
			s.tell(sh, j)
		})
	}
}

// tell passes on the end of a command that was left running, once, unless a report has told it, or
// a call that waits for the command is about to, or the shell runs the next one.
func (s *Shells) tell(sh *shell, j *job) {
	s.mu.Lock()
	if s.closed || sh.job != j || !j.left || j.told || !j.ended() || j.awaited() {
		s.mu.Unlock()
		return
	}
	j.told = true
	i, f := sh.info(), s.onEnd
	s.mu.Unlock()
	f(i)
}
