// Package browser attacks the listeners of the program from web pages in a real browser, Debian's
// chromium. It contains only tests.
//
//	apt-get install chromium
//	go test -tags browser ./e2e/browser
//
// Without the build tag the package is empty, because `go test ./...` must not need a browser.
// `.ci/run` installs the browser and sets the tag.
//
// browser_test.go is the test, attacker_test.go the web server of the attacker and the browser,
// rebind_test.go the attacker's DNS server and the pages whose host leads to a door later,
// doors_test.go the servers under attack, other_doors_test.go the other listeners, and open_test.go
// two servers without any protection, which the same pages must be able to use: otherwise the attacks
// would prove nothing.
// testdata/attack.js is the script of the pages, in order of the ways in which a page can make a
// browser connect to a port.
package browser
