// Package attempt tries to get out of a sandbox, for tests of sandboxes: it does for real
// what a hostile command would do, and reports for each attempt whether it worked.
//
// A test package calls [Child] in its TestMain, which is where a confined process begins, and
// [World.Run] in a test, which starts that process. The attempts are in tables. [Compare] checks
// the results against a table of expectations.
//
// Tests of other packages use [Missing] where this machine has no sandbox, and [HideLandlock] to
// test without Landlock.
package attempt
