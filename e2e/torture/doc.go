// Package torture kills the program at every write it makes and checks the result. It
// contains only tests.
//
// The program under test is this test binary itself: started again with a fault in its
// environment, it is the real server, over TCP, on a file system that counts its operations and
// makes one of them fail. Two clients run a scripted conversation with it: tools, an approval,
// parallel calls, messages that steer and messages that wait, aborts, a client that leaves and
// comes back. They record each event and each response that they get.
//
// Then the process ends, in most test cases by sending itself SIGKILL. Its files may be damaged
// further, as by a power failure or a bad disk. A new process must open them and continue, and in
// the end the log must contain everything that was promised.
//
// Other conversations have sub-agents, suspended sessions and questions, and 1,000 sub-agents
// whose process is killed at random.
//
// Another conversation is longer than the window of its model, and its process is killed
// at every tenth turn.
//
// Each such run is a test case (a *point*):
//
//	go test ./e2e/torture                     a sample, in seconds
//	go test -tags torture -timeout 120m ./e2e/torture -run TestCampaign -v
//	                                          all of them
//	go test ./e2e/torture -run TestCampaign -torture.point POINT -v
//	                                          one, as a failure prints it
//
// docs/reliability.md has the results and explains them.
package torture
