// Package torture kills the program at every write it makes and looks at what is
// left. It holds tests only.
//
// The program under test is this test binary itself: started anew with a fault in
// its environment, it is the real server, over TCP, on a file system that counts
// what it does and does one thing wrong (fault_test.go, disk_test.go). Two clients
// hold a scripted conversation with it (script_test.go): tools, an approval, calls
// side by side, messages that steer and that wait, aborts, a client that leaves
// and comes back. They note each event that they are told and each acknowledgement
// that they get (client_test.go, talk_test.go).
//
// Then the process is gone, in most points by a SIGKILL to itself in the middle of
// its work. What it left may be damaged further, as a power cut or a bad disk
// would (damage_test.go). A new process must open it and go on (recover_test.go),
// and in the end the log must hold what was promised (check_test.go).
//
// One such life is a point. campaign_test.go enumerates them:
//
//	go test ./e2e/torture                     a sample, in seconds
//	go test -tags torture -timeout 120m ./e2e/torture -run TestCampaign -v
//	                                          all of them
//	go test ./e2e/torture -run TestCampaign -torture.point POINT -v
//	                                          one, as a failure prints it
//
// docs/reliability.md has the results and says how to read them.
package torture
