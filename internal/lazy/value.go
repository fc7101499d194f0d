package lazy

import "sync"

// Value is a T that Make makes at the first call of Get. It may be used from several
// goroutines, and must not be copied.
//
// A package variable of this type costs nothing at the start of the program: the compiler lays
// it out, and nothing runs. A variable of [sync.OnceValue] is the result of a call, so its
// package has code that runs at every start and that maps 64 KB of the program into memory,
// even if the value is never needed.
type Value[T any] struct {
	Make  func() T
	once  sync.Once
	value T
}

// Get returns the value.
func (v *Value[T]) Get() T {
	v.once.Do(func() { v.value = v.Make() })
	return v.value
}
