// Package attempt tries to get out of a sandbox, for tests of sandboxes: it does for real
// what a hostile command would do, and reports for each attempt whether it worked.
//
// A test package calls [Child] in its TestMain, which is where a confined process begins,
// and [World.Run] in a test, which starts that process (world_linux.go). The attempts are in
// tables: files_linux.go, process_linux.go, network_linux.go and kernel_linux.go, with
// legacy_*.go for calls in the 32-bit format of amd64. [Compare] checks the results against
// a table of expectations (expect_linux.go).
//
// Tests of other packages use [Missing] where this machine has no sandbox (missing.go), and
// [HideLandlock] to test without Landlock (absent_linux.go).
package attempt
