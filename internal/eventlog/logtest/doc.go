// Package logtest is what every [eventlog.Store] promises, as tests, and a
// store in memory for the tests of others.
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
// What survives a crash differs between technologies and is tested beside each.
package logtest
