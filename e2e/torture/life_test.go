//go:build unix

package torture_test

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"
	"sync"
)

// life is a point that is being lived.
type life struct {
	point point
	home  string
	talks []*talk
	out   *outcome
}

// live goes through all processes, then checks what is left.
func (l *life) live() error {
	play := (*talk).play
	for i, f := range slices.Concat(l.point.faults, []fault{{kind: none}}) {
		if i == len(l.point.faults) {
			if err := l.damage(); err != nil {
				return err
			}
		}
		if err := l.process(f, play); err != nil {
			return err
		}
		play = func(t *talk) error { return t.goOn(l.point.continued) }
	}
	return l.check()
}

// process is one process from its start to its kill -9, with all sessions in it.
func (l *life) process(f fault, play func(*talk) error) error {
	proc, err := start(l.home, f)
	switch {
	case proc == nil:
		return err
	case err != nil && f.refuses():
		return nil // it says why it does not start
	case err != nil:
		l.talks[0].fault(died, "%v", err)
		return nil
	}
	var wg sync.WaitGroup
	ends := make([]error, len(l.talks))
	for i, t := range l.talks {
		wg.Go(func() { ends[i] = t.meet(proc.addr, play) })
	}
	wg.Wait()
	l.out.reached = l.out.reached || !f.kills() || slices.ContainsFunc(ends, isGone)
	proc.kill()
	if err := proc.died(); err != nil {
		l.talks[0].fault(died, "%v", err)
	}
	l.out.ops = append(l.out.ops, proc.ops)
	for i, t := range l.talks {
		t.hangUp()
		t.judge(f, ends[i])
		t.lenient = false
	}
	return nil
}

func isGone(err error) bool { return errors.Is(err, errGone) }

// meet connects the clients and holds the conversation.
func (t *talk) meet(addr string, play func(*talk) error) error {
	if err := t.connect(addr); err != nil {
		return err
	}
	return play(t)
}

// judge says whether a conversation may have ended as it did.
func (t *talk) judge(f fault, err error) {
	forever := f.kind == full && f.arg == 0
	switch {
	case err == nil, isGone(err) && f.kills(), refused(err) && forever:
	case isGone(err):
		t.fault(died, "the connection ended while the process was to live")
	case refused(err):
		t.fault(unopened, "it was refused: %v", err)
	case errors.Is(err, errLate) && t.flipped != "": // a call's id was changed: its result, or its question, is another's now
	case errors.Is(err, errLate):
		t.fault(idles, "%v; A heard last:\n%s", err, t.heardLast(12))
	default:
		t.fault(died, "what came cannot be read: %v", err)
	}
}

// damage does to the files what the point wants.
func (l *life) damage() error {
	for _, t := range l.talks {
		if err := t.damage(l.point.damage, l.home, l.out.last()); err != nil {
			return err
		}
		if t.flipped != "" {
			if err := t.acceptChange(l.home); err != nil {
				return err
			}
		}
	}
	return nil
}

// check looks at the logs that are there in the end.
func (l *life) check() error {
	for _, t := range l.talks {
		log, err := readLog(logOf(l.home, t.id))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		l.out.logs = append(l.out.logs, log)
		t.check(log)
		for _, e := range t.ears {
			l.out.told += len(slices.DeleteFunc(slices.Clone(e.all()), func(e told) bool { return e.Ephemeral }))
		}
		l.out.accepted += t.accepted
		l.out.unnoticed = l.out.unnoticed || t.flipped != "" && !t.broken && !t.named && !slices.ContainsFunc(log, warns)
		l.out.problems = append(l.out.problems, t.problems...)
	}
	slices.SortFunc(l.out.problems, func(a, b problem) int { return cmp.Compare(a.class, b.class) })
	return nil
}
