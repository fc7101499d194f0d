// Package logtest tests what every [eventlog.Store] promises. It also has a store in
// memory, for the tests of other packages.
//
// [Memory] is the store in memory, which loses a lease on command ([Memory.TakeOver]).
//
// A store's own package calls [Run] once for each way it can be set up:
//
//	func TestStore(t *testing.T) {
//		logtest.Run(t, func(t *testing.T) (eventlog.Store, func() eventlog.Store) {
//			dir := t.TempDir()
//			open := func() eventlog.Store { return mustOpen(t, dir) }
//			return open(), open
//		})
//	}
//
// Crash safety differs between stores and is tested in their packages.
package logtest
