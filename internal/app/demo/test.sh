#!/bin/sh
# Checks that titles become the expected URLs.
failed=0
check() {
	got=$(./slug.sh "$1")
	if [ "$got" = "$2" ]; then
		echo "ok    $1"
	else
		echo "FAIL  $1: got $got, want $2"
		failed=1
	fi
}
check 'Release Notes' release-notes
check 'News' news
exit $failed
