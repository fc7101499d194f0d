// Package library builds the library that SDKs load to host the runtime in process, from the C files in inprocess/.
package library

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Library is one file for one system.
type Library struct {
	// Name is what the SDKs of Go, Python, Rust, Java and .NET look for beside the program; "" for musl, where that name
	// is taken by the library for glibc.
	Name string
	// Prebuilt is the name, with slashes, by which the SDK for Node and newer ones look for it.
	Prebuilt string

	triple  string // of the compiler
	windows bool
}

// Of returns the libraries of a platform, such as linux/amd64; there are two for Linux.
func Of(platform string) ([]Library, error) {
	goos, goarch, _ := strings.Cut(platform, "/")
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[goarch]
	node := map[string]string{"amd64": "x64", "arm64": "arm64"}[goarch]
	prebuilt := func(system string) string { return "prebuilds/" + system + "-" + node + "/runtime.node" }
	if arch != "" {
		switch goos {
		case "linux":
			return []Library{
				{Name: "libcopilot_runtime.so", Prebuilt: prebuilt("linux"), triple: arch + "-linux-gnu.2.17"},
				{Prebuilt: prebuilt("linuxmusl"), triple: arch + "-linux-musl"},
			}, nil
		case "darwin":
			return []Library{{Name: "libcopilot_runtime.dylib", Prebuilt: prebuilt("darwin"), triple: arch + "-macos"}}, nil
		case "windows":
			return []Library{{Name: "copilot_runtime.dll", Prebuilt: prebuilt("win32"), triple: arch + "-windows-gnu", windows: true}}, nil
		}
	}
	return nil, fmt.Errorf("%s: no SDK hosts a runtime in process there", platform)
}

// Cross reports whether a compiler builds for other systems than its own: it is zig's.
func Cross(cc string) bool { return strings.Contains(cc, "zig") }

// Here returns the library of this machine, in the form that its own compiler makes.
func Here() (Library, error) {
	all, err := Of(runtime.GOOS + "/" + runtime.GOARCH)
	if err != nil {
		return Library{}, err
	}
	// What SDKs ask. Some machines with another C library have musl, too, for other programs.
	if said, _ := exec.Command("ldd", "--version").CombinedOutput(); runtime.GOOS == "linux" && strings.Contains(string(said), "musl") {
		l := all[1]
		l.Name = all[0].Name
		return l, nil
	}
	return all[0], nil
}

// Build compiles the library from the C files in source into the file to. cc is a command with its first arguments,
// separated by spaces. more are further arguments, such as -fsanitize=thread.
func (l Library) Build(ctx context.Context, cc, source, to string, more ...string) error {
	words := strings.Fields(cc)
	if len(words) == 0 {
		return fmt.Errorf("no C compiler is named")
	}
	args := append(words[1:], "-std=c11", "-O2", "-g0", "-Wall", "-Wextra", "-Werror", "-shared", "-fvisibility=hidden")
	if Cross(cc) {
		args = append(args, "-target", l.triple, "-s")
	}
	files := []string{"copilot_runtime.c", "child.c", "words.c"}
	if l.windows {
		files = []string{"copilot_runtime_windows.c", "words.c"}
	} else {
		args = append(args, "-fPIC", "-pthread")
		if strings.Contains(l.triple, "linux") {
			args = append(args, "-Wl,-z,nodelete") // threads and a handler of fork run its code
		} else {
			args = append(args, "-Wl,-install_name,@rpath/"+l.Name) // else the path of to is in the file
		}
	}
	args = append(args, more...)
	args = append(args, "-o", to)
	for _, f := range files {
		args = append(args, filepath.Join(source, f))
	}
	if strings.Contains(l.triple, "linux-gnu") {
		args = append(args, "-ldl")
	}
	if out, err := exec.CommandContext(ctx, words[0], args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", words[0], strings.Join(args, " "), err, out)
	}
	return nil
}

// Install builds the library of this machine into the folder of a program, under both of its names, and returns them.
func Install(ctx context.Context, cc, source, folder string, more ...string) ([]string, error) {
	l, err := Here()
	if err != nil {
		return nil, err
	}
	named := filepath.Join(folder, l.Name)
	prebuilt := filepath.Join(folder, filepath.FromSlash(l.Prebuilt))
	if err := os.MkdirAll(filepath.Dir(prebuilt), 0o755); err != nil {
		return nil, err
	}
	for _, old := range []string{named, prebuilt} { // a program that has loaded one keeps it
		if err := os.Remove(old); err != nil && !os.IsNotExist(err) {
			return nil, err
		}
	}
	if err := l.Build(ctx, cc, source, named, more...); err != nil {
		return nil, err
	}
	if os.Symlink(filepath.Join("..", "..", l.Name), prebuilt) == nil {
		return []string{named, prebuilt}, nil
	}
	text, err := os.ReadFile(named) // of a system or a user without links, a copy
	if err == nil {
		err = os.WriteFile(prebuilt, text, 0o755)
	}
	return []string{named, prebuilt}, err
}
