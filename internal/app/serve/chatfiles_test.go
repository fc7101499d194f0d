package serve

import "testing"

// Programs and chats that share a process divide its files; either of them alone has them all, of which half are left for
// commands and models where the door does not see to that.
func TestDoorsDivideTheFiles(t *testing.T) {
	for _, tc := range []struct {
		flags           chatFlags
		programs, chats int
	}{
		{chatFlags{}, 1000, 500},
		{chatFlags{alone: true}, 1000, 500},
		{chatFlags{beside: true}, 750, 250},
	} {
		if p, c := tc.flags.programFiles(1000), tc.flags.ownFiles(1000); p != tc.programs || c != tc.chats {
			t.Errorf("%+v: %d and %d of 1000, want %d and %d", tc.flags, p, c, tc.programs, tc.chats)
		}
	}
}
