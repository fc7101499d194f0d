package terminal

import "sync"

// maxRead bounds one read of Keys, in bytes. Linux returns at most 4,095.
const maxRead = 16 << 10

// Keys reads the terminal on a goroutine of its own until stop is called, and sends what it reads
// to keys, which it closes at the end. The terminal should be in raw mode; no ReadLine may run
// meanwhile.
//
// After stop has returned no read is under way, so that another program, such as an editor,
// gets all keys. Bytes that were read and not received are sent first by the next call of Keys. stop
// may be called by any goroutine and more than once.
func (t *TTY) Keys() (keys <-chan []byte, stop func(), err error) {
	w, err := newWaker(t.in)
	if err != nil {
		return nil, nil, err
	}
	c, done := make(chan []byte), make(chan struct{})
	var reader sync.WaitGroup
	reader.Go(func() {
		defer close(c)
		for t.sendRest(c, done) && w.wait() {
			buf := make([]byte, maxRead)
			n, err := t.in.Read(buf)
			if err != nil || n == 0 {
				return
			}
			t.rest = buf[:n]
		}
	})
	var once sync.Once
	return c, func() {
		once.Do(func() {
			close(done)
			w.wake()
			reader.Wait()
			w.close()
		})
	}, nil
}

// sendRest sends what was read, and reports false if the reader is to stop.
func (t *TTY) sendRest(c chan<- []byte, done <-chan struct{}) bool {
	if len(t.rest) == 0 {
		return true
	}
	select {
	case c <- t.rest:
		t.rest = nil
		return true
	case <-done:
		return false
	}
}
