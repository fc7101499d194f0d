package rewind

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The output of git is read whatever the files are called.
func TestChangedFiles(t *testing.T) {
	old := "a b"
	for in, want := range map[string][]wire.FileChange{
		"":                     nil,
		"M\x00a\nb\x00":        {{ChangeType: "modified", Path: "a\nb"}},
		"A\x00ü\x00D\x00x\x00": {{ChangeType: "added", Path: "ü"}, {ChangeType: "deleted", Path: "x"}},
		"R087\x00a b\x00c\x00M\x00d\x00": {
			{ChangeType: "renamed", OldPath: &old, Path: "c"}, {ChangeType: "modified", Path: "d"},
		},
		"R100\x00a b": {{ChangeType: "modified", Path: "a b"}}, // cut off
	} {
		if diff := cmp.Diff(want, changedFiles(in)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", in, diff)
		}
	}
}

func TestSplitDiffs(t *testing.T) {
	one, two := "diff --git a/x b/x\n@@ -1 +1 @@\n-diff --git a\n+b\n", "diff --git a/y b/y\nBinary files differ\n"
	for in, want := range map[string][]string{"": nil, one: {one}, one + two: {one, two}} {
		if diff := cmp.Diff(want, splitDiffs(in)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", in, diff)
		}
	}
}
