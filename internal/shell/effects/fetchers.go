package effects

import (
	"path"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// fetchers take addresses as operands. They are read exactly: a call with an option that is not
// listed is unclear. Not listed are options that read addresses or settings from a file, that
// name another machine than the address does, or that send the user's credentials. Sources:
// curl 8 and wget 1.21, manual pages.
var fetchers = lazy.Value[map[string]readOnlyUse]{Make: func() map[string]readOnlyUse {
	return map[string]readOnlyUse{
		"curl": {options: `-s -S -f -L -k -i -I -v -g -G -N -O -R -Z -4 -6 -0 -# -V --silent --show-error --fail --location --insecure --include --head --verbose --globoff
		--get --no-buffer --remote-name --compressed --http1.0 --http1.1 --http2 --http3 --ipv4 --ipv6 --fail-with-body --fail-early --remote-time
		--progress-bar --no-progress-meter --create-dirs --retry-all-errors --retry-connrefused --parallel --raw --tlsv1.2 --tlsv1.3 --version --path-as-is
		-H: -d: -X: -A: -u: -e: -F: -m: -w: -r: --header: --data: --request: --user-agent: --user: --referer: --form: --form-string: --max-time: --write-out:
		--data-raw: --data-binary: --data-urlencode: --data-ascii: --json: --retry: --retry-delay: --retry-max-time: --connect-timeout: --range: --limit-rate: --max-redirs:
		--max-filesize: --oauth2-bearer: -o/ -T/ -c/ -D/ -b/ --output/ --upload-file/ --cookie-jar/ --dump-header/ --cookie/ --output-dir/ --cacert/ --url:`},
		"wget": {options: `-q -n -v -c -d -N -S -r -p -k -4 -6 -V --quiet --no-verbose --verbose --continue --spider --no-check-certificate --show-progress --timestamping
		--server-response --no-clobber --recursive --no-parent --no-host-directories --no-directories --https-only --version -t: -T: -U: -l: -A: -w: -O/ -P/ -o/ --tries: --timeout:
		--user-agent: --level: --accept: --wait: --output-document/ --directory-prefix/ --header: --post-data: --method: --body-data: --limit-rate:`},
	}
}}

// otherFetchers take addresses as operands, too; all that is not an option counts as one.
var otherFetchers = set{names: "aria2c http https xh"}

// fetcher notes the addresses that a program such as curl is given without a scheme.
func (r *reader) fetcher(program string, args []word) {
	spec, listed := fetchers.Get()[program]
	options, operands, ok := spec.split(args)
	if !listed || !ok {
		if listed {
			r.unclear("an option of " + program + " is not known")
		}
		options, operands = nil, nil
		for _, a := range args {
			if !strings.HasPrefix(a.text, "-") {
				operands = append(operands, a.text)
			}
		}
	}
	globs, remoteName := program == "curl", false
	for _, o := range options {
		switch o.name {
		case "-g", "--globoff":
			globs = false
		case "-O", "--remote-name":
			remoteName = true
		case "--url", "-T", "--upload-file":
			operands = append(operands, o.value)
		case "-F", "--form":
			if strings.ContainsAny(o.value, `"\`) {
				r.unclear("the quotes in a form of curl may hide the name of a file")
			}
		}
	}
	for _, address := range operands {
		if globs && strings.ContainsAny(address, "{}[]") {
			r.unclear("curl reads several addresses out of " + address)
		}
		r.schemelessAddress(address)
		if program == "wget" || remoteName {
			r.path(path.Base(strings.TrimRight(address, "/"))) // the file that it writes
		}
	}
}
