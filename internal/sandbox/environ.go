package sandbox

import (
	"net/url"
	"slices"
	"strings"
)

// passed are the variables that commands in a sandbox inherit: those that shells and
// toolchains need, and none that holds a secret, names a socket of another program, or makes
// a program load code. A name that ends with * stands for every ending.
var passed = []string{
	"PATH", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "COLORTERM", "TZ", "CI", "NODE_ENV", "COLUMNS", "LINES",
	"GOROOT", "GOPATH", "GOMODCACHE", "GOFLAGS", "GOPROXY", "GOSUMDB", "GONOSUMDB", "GONOSUMCHECK", "GOPRIVATE", "GOTOOLCHAIN",
	"GOOS", "GOARCH", "GOAMD64", "GOARM", "GOEXPERIMENT", "CGO_ENABLED", "CC", "CXX",
	"JAVA_HOME", "MAVEN_HOME", "GRADLE_HOME", "ANDROID_HOME", "VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV",
	"CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "NVM_DIR", "NVM_BIN", "PYENV_ROOT", "PYENV_VERSION", "RBENV_ROOT", "VOLTA_HOME",
	"DENO_DIR", "BUN_INSTALL", "DOTNET_ROOT", "SDKMAN_DIR", "ASDF_DIR", "ASDF_DATA_DIR",
}

// quiet are set for every command: no editor that waits, no lock file of git that a read-only
// folder could not hold, and no credentials that git would ask for.
var quiet = []string{"EDITOR=true", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "TERM=dumb", "PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat", "SYSTEMD_PAGER=cat"}

// Environ returns the environment of commands in a sandbox: of from, in the form of
// os.Environ, the variables in the list passed, without values that hold a password. The sandbox adds HOME, TMPDIR and what says that it is one.
func (p Policy) Environ(from []string) []string {
	var env []string
	for _, v := range from {
		name, value, ok := strings.Cut(v, "=")
		if ok && slices.ContainsFunc(passed, matches(name)) && !holdsPassword(value) {
			env = append(env, v)
		}
	}
	env = append(env, quiet...)
	network := "off"
	if p.Network.enabled() {
		network = "hosts"
	}
	return append(env, "SIDESTICK_IN_SANDBOX="+string(p.Mode), "SIDESTICK_SANDBOX_NETWORK="+network)
}

// matches returns whether a pattern of a name matches name.
func matches(name string) func(pattern string) bool {
	return func(pattern string) bool {
		prefix, open := strings.CutSuffix(pattern, "*")
		return name == pattern || open && strings.HasPrefix(name, prefix)
	}
}

// holdsPassword reports whether a value has an address with a password, as a package proxy
// may have.
func holdsPassword(value string) bool {
	for _, part := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == '|' || r == ' ' }) {
		if u, err := url.Parse(part); err == nil && u.User != nil {
			return true
		}
	}
	return false
}
