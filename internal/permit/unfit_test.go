package permit

import "testing"

// What a repository names cannot become a folder to work in if it opens more than the user can mean.
func TestAFolderOfARepositoryOpensNeitherTheMachineNorTheUsersSettings(t *testing.T) {
	for folder, fits := range map[string]bool{
		"/": false, "/proc": false, "/proc/17/cwd": false, "/sys/fs": false, "/dev": false, "/dev/fd": false, "/dev/shm/x": true, "/devices": true,
		"/home": false, "/home/u": false, "/home/u/lib": true, "/home/user": true, "/home/u/.sidestick": false, "/home/u/.sidestick/logs": false, "/srv/lib": true,
	} {
		if why := Unfit(folder, "/home/u/.sidestick", "/home/u"); (why == "") != fits {
			t.Errorf("%s: %q", folder, why)
		}
	}
	if Unfit("/srv", "", "") != "" {
		t.Error("without folders of the user nothing holds them")
	}
}
