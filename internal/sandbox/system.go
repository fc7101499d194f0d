package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// systemFolders hold programs, libraries and settings that every user can read.
var systemFolders = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/etc", "/nix/store", "/gnu/store",
	"/run/current-system", "/var/lib/dpkg", "/var/lib/rpm", "/sys/devices/system/cpu",
}

// systemSecrets are files in systemFolders that hold passwords or keys. An ordinary user
// cannot read most of them anyway; root can.
var systemSecrets = []string{
	"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d", "/etc/security/opasswd",
	"/etc/ssh", "/etc/ssl/private", "/etc/pki/tls/private", "/etc/letsencrypt", "/etc/krb5.keytab", "/etc/wireguard", "/etc/openvpn",
	"/etc/NetworkManager/system-connections", "/etc/wpa_supplicant", "/etc/ppp", "/etc/docker", "/etc/kubernetes", "/etc/rancher",
	"/etc/mysql/debian.cnf", "/etc/msmtprc", "/etc/postfix/sasl", "/etc/exim4/passwd.client", "/etc/apt/auth.conf", "/etc/apt/auth.conf.d",
	"/etc/netplan", "/etc/cloud", "/etc/credstore", "/etc/credstore.encrypted", "/etc/polkit-1", "/etc/audit", "/etc/ipsec.secrets", "/etc/swanctl",
	"/opt/containerd",
}

// toolFolders are where toolchains keep programs and downloaded packages below the home
// folder, without the files beside them that hold passwords. Commands can read them.
var toolFolders = []string{
	"go/bin", "go/pkg", "sdk", ".cargo/bin", ".cargo/registry", ".cargo/git", ".cargo/env", ".rustup/toolchains", ".rustup/settings.toml",
	".nvm", ".pyenv", ".rbenv", ".nodenv", ".jenv", ".goenv", ".volta", ".asdf", ".sdkman", ".deno/bin", ".bun/bin", ".dotnet", ".ghcup/bin", ".ghcup/ghc",
	".local/bin", ".local/lib", ".local/pipx/venvs", ".local/share/pnpm", ".local/share/uv", ".local/share/mise", ".local/share/fnm", ".m2/repository", ".m2/wrapper",
	".gradle/caches", ".gradle/wrapper", ".npm-global", ".yarn/bin", ".config/yarn/global", ".pub-cache", ".mix", ".opam", ".juliaup", "miniconda3", "anaconda3", "bin",
}

// toolVariables name folders of toolchains, by themselves or in a list with colons. The
// second word is the folder in them that can be read; "." is all of it.
var toolVariables = [][2]string{
	{"GOROOT", "."},
	{"GOPATH", "pkg"},
	{"GOPATH", "bin"},
	{"GOMODCACHE", "."},
	{"CARGO_HOME", "bin"},
	{"CARGO_HOME", "registry"},
	{"CARGO_HOME", "git"},
	{"RUSTUP_HOME", "toolchains"},
	{"RUSTUP_HOME", "settings.toml"},
	{"NVM_DIR", "."},
	{"PYENV_ROOT", "."},
	{"RBENV_ROOT", "."},
	{"VOLTA_HOME", "."},
	{"JAVA_HOME", "."},
	{"MAVEN_HOME", "."},
	{"GRADLE_HOME", "."},
	{"VIRTUAL_ENV", "."},
	{"CONDA_PREFIX", "."},
	{"DOTNET_ROOT", "."},
	{"ASDF_DATA_DIR", "."},
}

// besides are the folders that belong to a folder of programs called bin.
var besides = []string{"bin", "lib", "lib64", "libexec", "share", "include"}

// settingsFolders are those of systemFolders in which services have settings, some of them with
// passwords and keys that no list knows.
var settingsFolders = []string{"/etc", "/usr/local/etc", "/opt"}

// Limits of the search for restricted files in each folder. /etc of a large machine has some 5,000
// entries, and /opt with toolchains 100,000. What a limit leaves unseen is hidden as a whole.
const (
	restrictedDepth   = 40
	restrictedEntries = 200_000
)

// restricted returns the files and folders in some folders that not every user of the machine
// can read: root could, and so could the members of a group. It looks at the tops of the folders
// first, and then further down, each time until it has seen so many entries. Links are left out, because
// where they lead has a mode of its own.
func restricted(folders []string, depth, entries int) (found []string) {
	for _, folder := range folders {
		found = append(found, restrictedIn(folder, depth, entries)...)
	}
	return coverWhole(folders, found, mostMounts)
}

func restrictedIn(top string, depth, left int) (found []string) {
	level := []string{top}
	for ; depth > 0 && left > 0 && len(level) > 0; depth-- {
		var below []string
		for i, folder := range level {
			if left <= 0 {
				return slices.Concat(found, level[i:], below)
			}
			entries, _ := os.ReadDir(folder) // one that cannot be read here cannot be read inside either
			left -= len(entries)
			for _, e := range entries {
				path := filepath.Join(folder, e.Name())
				info, err := e.Info()
				switch {
				case err != nil || info.Mode()&os.ModeSymlink != 0:
				case info.Mode().Perm()&0o004 == 0:
					found = append(found, path)
				case info.IsDir():
					below = append(below, path)
				}
			}
		}
		level = below
	}
	return append(found, level...)
}

// toolSecrets are files with passwords or keys in toolFolders.
var toolSecrets = []string{
	".dotnet/corefx", ".pub-cache/credentials.json", ".local/share/uv/credentials", "miniconda3/.condarc", "anaconda3/.condarc", ".pyenv/.pypirc",
	".asdf/.npmrc", ".mix/hex.config", ".sdkman/etc/config", ".opam/config",
}

// personal are the folders and files in a home folder that hold passwords, keys, mail and
// histories. No list of toolchains brings them into a sandbox.
var personal = []string{
	".ssh", ".aws", ".azure", ".config/gcloud", ".config/gh", ".netrc", ".docker", ".kube", ".npmrc", ".pypirc", ".gnupg", ".git-credentials",
	".password-store", ".terraform.d", ".mozilla", ".config/google-chrome", ".config/chromium", ".local/share/keyrings", ".thunderbird", "Mail",
	".bash_history", ".zsh_history", ".python_history", ".psql_history", ".mysql_history", ".pgpass", ".my.cnf", ".copilot", ".local/share/sidestick",
	".node_repl_history", ".irb_history", ".sqlite_history", ".rediscli_history", ".lesshst", ".viminfo", ".local/share/fish", ".config/git/credentials",
	".cargo/credentials.toml", ".cargo/credentials", ".gem/credentials", ".m2/settings.xml", ".m2/settings-security.xml", ".gradle/gradle.properties",
	".nuget/NuGet", ".composer/auth.json", ".config/composer/auth.json", ".bundle/config", ".yarnrc.yml", ".config/pip", ".pip", ".condarc", ".hex",
	".vault-token", ".config/op", ".config/sops", ".age", ".config/age", ".config/rclone", ".s3cfg", ".boto", ".oci", ".config/doctl", ".config/hcloud", ".fly", ".config/netlify",
	".config/hub", ".config/glab-cli", ".config/github-copilot", ".config/containers", ".local/share/containers", ".huggingface", ".cache/huggingface/token", ".kaggle",
	".authinfo", ".authinfo.gpg", ".msmtprc", ".config/msmtp", ".mbsyncrc", ".fetchmailrc", ".mutt", ".muttrc", ".config/mutt", ".config/neomutt", "Maildir", ".local/share/mail", ".config/evolution",
	".local/share/evolution", ".config/BraveSoftware", ".config/vivaldi", ".config/microsoft-edge", ".config/opera", ".librewolf", ".tor-browser", "snap/firefox", ".var/app",
	".config/Code/User/globalStorage", ".config/Signal", ".config/Slack", ".config/discord", ".local/share/TelegramDesktop", ".local/share/kwalletd", ".pki",
	".bitcoin", ".electrum", ".ethereum", ".Xauthority", ".ICEauthority", ".claude", ".claude.json", ".codex", ".gemini",
}

// variable returns the value of a variable in an environment; the last one counts.
func variable(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(env[i], name+"="); ok {
			return value
		}
	}
	return ""
}

// exists reports whether a path exists, with its links followed.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// isFolder reports whether a path is a folder, with its links followed.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
