// Package logtest tests what every [eventlog.Store] promises. It also has a store in
// memory, for the tests of other packages.
//
// suite.go runs the rules, which are in the files *_rules.go: store, append, read,
// claim, loss, payload, context. memory.go and memory_lease.go are the store in memory,
// which loses a lease on command ([Memory.TakeOver]); writer.go makes streams easier to
// use in tests.
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
