#!/bin/bash
# Runs a suite of the SDK repository against a binary, and compares the tests that fail with the list beside
# this script. Nothing of the SDK repository is in ours: CHECKOUT is a copy of it (docs/conformance.md says
# how to prepare one).
#
#   run.sh go CHECKOUT BINARY [ARGUMENTS OF THE TEST BINARY]
#   run.sh go-BACKEND CHECKOUT BINARY [ARGUMENTS OF THE TEST BINARY]
#   run.sh node CHECKOUT BINARY [FILES]
#   run.sh python CHECKOUT BINARY [ARGUMENTS OF PYTEST]
#   run.sh rust CHECKOUT BINARY [ARGUMENTS OF THE TEST BINARY]
#   run.sh java CHECKOUT BINARY [ARGUMENTS OF MAVEN]
#
# BACKEND is a dialect of the provider that replays the recordings: openai-completions, openai-responses or
# anthropic-messages. With it, tier 1 of the Go suite runs, and each session that names no provider gets one.
# With COPILOT_SDK_DEFAULT_CONNECTION=inprocess, the SDK hosts the library beside BINARY.
# Without further arguments the whole suite runs. It prints a summary and the names of the tests that fail. The
# exit code is 0 if exactly the expected tests fail, 1 if a new one fails or an expected one passes, and 2 if
# the suite did not run. With further arguments, only new failures count.
set -uo pipefail

usage() {
	sed -n '2,/^set /s/^# \{0,1\}//p' "$0"
	exit 2
}
[ $# -ge 3 ] || usage
backend=
case $1 in
go | node | python | rust | java) ;;
go-openai-completions | go-openai-responses | go-anthropic-messages) backend=${1#go-} ;;
*) usage ;;
esac
suite=$1 checkout=$(realpath "$2") binary=$(realpath "$3")
shift 3
expected=$(dirname "$(realpath "$0")")/expected-$suite.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A missing recording fails instead of calling out. The suites start the binary themselves.
export GITHUB_ACTIONS=true COPILOT_CLI_PATH=$binary

# tier1 prints the -test.run of the tests in the files of tier 1.
tier1() {
	local files=(client connection_token client_lifecycle client_api client_options error_resilience session session_config multi_turn
		streaming_fidelity event_fidelity tools tool_results builtin_tools ask_user permissions hooks hooks_extended abort
		system_message_sections system_message_transform mode_empty compaction skills rpc)
	local file names=()
	for file in "${files[@]}"; do
		names+=($(sed -n 's/^func \(Test[A-Za-z0-9_]*\)(t \*testing\.T).*/\1/p' "$checkout/go/internal/e2e/$file"{,_e2e}_test.go 2>/dev/null))
	done
	(IFS='|' && echo "-test.run=^(${names[*]})\$")
}

# overlay makes the suite run on another back end of the provider. The Go harness, unlike the one for .NET,
# cannot choose one, so three files of the checkout are replaced while the suite is built; the checkout stays
# as it is. The proxy is told the back end in its configuration, and creating or resuming a session passes
# through replay.go.
overlay() {
	local proxy=internal/e2e/testharness/proxy.go
	sed -e 's|{"filePath":%q,"workDir":%q}`, filePath, workDir)|{"filePath":%q,"workDir":%q,"backend":%q}`, filePath, workDir, os.Getenv("REPLAY_BACKEND"))|' \
		-e 's|^\tconfig := fmt.Sprintf|\tos.Setenv("REPLAY_URL", url)\n&|' "$checkout/go/$proxy" >"$work/proxy.go"
	sed 's/^\tc.apply\(Config\|Resume\)DefaultsForMode(config)/\tconfig = config.onReplayBackend()\n&/' "$checkout/go/client.go" >"$work/client.go"
	[ "$(grep -c 'REPLAY_BACKEND\|REPLAY_URL' "$work/proxy.go")" = 2 ] && [ "$(grep -c onReplayBackend "$work/client.go")" = 2 ] || {
		echo "The files of this checkout have other lines than those that the back end needs."
		return 1
	}
	cp "$(dirname "$expected")/replay.go.txt" "$work/replay.go"
	printf '{"Replace":{"%s":"%s","%s":"%s","%s":"%s"}}' "$checkout/go/$proxy" "$work/proxy.go" \
		"$checkout/go/client.go" "$work/client.go" "$checkout/go/sidestick_replay.go" "$work/replay.go" >"$work/overlay.json"
}

# junit prints the results of reports in the JUnit format. Arguments: the prefix to leave off the names of the
# classes, and the files. A test that passes when its suite repeats it has passed.
junit() {
	node -e '
		const [prefix, ...files] = process.argv.slice(1);
		const text = (s) => s.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, "\"").replace(/&apos;|&#39;/g, "\u0027").replace(/&amp;/g, "&");
		for (const file of files)
			for (const [, attributes, body] of require("fs").readFileSync(file, "utf8").matchAll(/<testcase\b((?:[^>"]|"[^"]*")*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)) {
				const of = (name) => text(attributes.match(new RegExp("(?:^|\\s)" + name + "=\"([^\"]*)\""))[1]);
				const state = /<(failure|error)\b/.test(body) ? "FAIL" : /<skipped\b/.test(body) ? "SKIP" : "PASS";
				const name = of("classname") + "." + of("name");
				console.log(state, name.startsWith(prefix) ? name.slice(prefix.length) : name);
			}' "$@" 2>>"$work/log" | sort >"$work/results"
}

case $suite in
go*)
	flags=()
	if [ -n "$backend" ]; then
		overlay || exit 2
		export REPLAY_BACKEND=$backend
		flags=(-overlay "$work/overlay.json")
		whole=$#
		[ $# -gt 0 ] || set -- "$(tier1)"
	fi
	# A test that has subtests is not counted itself.
	(cd "$checkout/go" && go test "${flags[@]}" -c -o "$work/suite.test" ./internal/e2e/) || exit 2
	(cd "$checkout/go/internal/e2e" && "$work/suite.test" -test.v -test.timeout 20m "$@") >"$work/log" 2>&1
	sed -n 's/^ *--- \(PASS\|FAIL\|SKIP\): \([^ ]*\) .*/\1 \2/p' "$work/log" | sort -u >"$work/lines"
	[ "${whole:-1}" = 0 ] && set --
	awk '{ state[$2] = $1; name = $2; while (sub("/[^/]*$", "", name)) parent[name] = 1 }
		END { for (n in state) if (!(n in parent)) print state[n] " " n }' "$work/lines" | sort >"$work/results"
	;;
node)
	# Node 20 has a WebSocket only with this flag, and newer ones ignore it.
	export NODE_OPTIONS="${NODE_OPTIONS:-} --experimental-websocket"
	[ $# -gt 0 ] || set -- test/e2e
	(cd "$checkout/nodejs" && npx vitest run "$@" --no-file-parallelism --reporter=default --reporter=json --outputFile="$work/report.json") >"$work/log" 2>&1
	node -e '
		for (const f of JSON.parse(require("fs").readFileSync(process.argv[1])).testResults) {
			const file = f.name.split("/").pop().replace(".e2e.test.ts", "");
			if (f.assertionResults.length === 0) console.log("FAIL " + file + ": the file does not load");
			for (const t of f.assertionResults)
				console.log({ passed: "PASS", failed: "FAIL" }[t.status] ?? "SKIP", file + ": " + t.title);
		}' "$work/report.json" 2>>"$work/log" | sort >"$work/results"
	[ "$*" = test/e2e ] && set --
	;;
python)
	(cd "$checkout/python" && PYTHONDONTWRITEBYTECODE=1 python3 -m pytest e2e --timeout 120 -p no:cacheprovider --junitxml="$work/report.xml" "$@") >"$work/log" 2>&1
	junit e2e. "$work/report.xml"
	;;
rust)
	# Without the feature bundled-cli, no Copilot CLI is downloaded. Lines of other processes go to the log. The
	# toolchain is one that is installed, and not the one of the checkout's file.
	(cd "$checkout/rust" && RUSTUP_TOOLCHAIN=${RUSTUP_TOOLCHAIN:-stable} COPILOT_SKIP_CLI_DOWNLOAD=1 cargo test --no-default-features --features derive,test-support --test e2e -- --test-threads=1 "$@") >"$work/out" 2>"$work/log"
	cat "$work/out" >>"$work/log"
	sed -n 's/^test \(.*\) \.\.\. \(ok\|FAILED\|ignored\).*/\2 \1/p' "$work/out" | sed 's/^ok /PASS /; s/^FAILED /FAIL /; s/^ignored /SKIP /' | sort >"$work/results"
	;;
java)
	# Maven would otherwise format the sources, measure what they cover, and install the Copilot CLI. The unit
	# tests that start no runtime run as well.
	rm -rf "$checkout"/java/sdk/target/{surefire,failsafe}-reports*
	(cd "$checkout/java" && mvn -B -pl sdk verify -Dcopilot.cli.path="$binary" -Dmaven.test.failure.ignore=true \
		-Dskip.test.harness=true -Dskip.cli.install=true -Dcheckstyle.skip -Dspotless.check.skip=true -Dspotless.apply.skip=true \
		-Dspotbugs.skip -Djacoco.skip=true -Dmaven.javadoc.skip=true "$@") >"$work/log" 2>&1
	shopt -s nullglob
	junit com.github.copilot. "$checkout"/java/sdk/target/{surefire,failsafe}-reports*/TEST-*.xml
	;;
esac
if [ ! -s "$work/results" ]; then
	tail -20 "$work/log"
	echo "The suite did not run."
	exit 2
fi

count() { grep -c "^$1 " "$work/results"; }
echo "$suite: $(count PASS) passed, $(count FAIL) failed, $(count SKIP) skipped ($(date -u +%F), $binary)"
sed -n 's/^FAIL //p' "$work/results" | sort >"$work/failed"
sed 's/^/  failed: /' "$work/failed"
# A line of the list is the name of a test, a tab, and the reason.
grep -v '^#' "$expected" | cut -f1 | sort >"$work/expected"
new=$(comm -23 "$work/failed" "$work/expected")
mended=$(sed -n 's/^SKIP //p' "$work/results" | sort -m "$work/failed" - | comm -13 - "$work/expected")
[ $# -gt 0 ] && mended=
[ -z "$new" ] || printf 'Not expected:\n%s\n' "$new"
[ -z "$mended" ] || printf 'Expected to fail, and they pass or are gone; take them off %s:\n%s\n' "$expected" "$mended"
if [ -n "$new$mended" ]; then
	cp "$work/log" "/tmp/suite-$suite.log" && echo "The output is in /tmp/suite-$suite.log."
	exit 1
fi
