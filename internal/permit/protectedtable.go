package permit

// protectedNames are names of files and folders from which programs start something without
// being told to. A name with slashes is that many elements of a path in a row; * is any text
// within one element. All are in lower case. A folder stands for everything in it. They are those
// of other programs; what this one reads itself is in the table of package projectfiles.
//
// Files that also start something, but that people edit daily and that start it only when
// the user builds or tests, are left out: package.json, Makefile, .github/workflows, build
// scripts, .env. So are files that only instruct a model.
var protectedNames = []string{
	// Version control runs the hooks, filters and pagers that these name. Source: git-scm.com
	// githooks, git-config, gitmodules; CVE-2014-9390 for git~1.
	".git", "git~1", ".gitconfig", ".gitmodules", ".config/git", ".hg", ".hgrc", ".svn", ".bzr", ".jj", ".jjconfig.toml", "_darcs", ".pijul",
	".husky", ".githooks", ".git-hooks", ".git_template", ".git-templates", ".pre-commit-config.yaml", ".pre-commit-config.yml", ".pre-commit-hooks.yaml",
	"lefthook.y*ml", "lefthook.json", "lefthook.toml", "lefthook-local.*", ".lefthook", ".lefthook.*", ".lefthook-local", ".lefthook-local.*", ".overcommit.yml",
	".simple-git-hooks.*", ".lintstagedrc", ".lintstagedrc.*",

	// Editors run tasks, language servers and macros of the folder that they open. Source:
	// CVE-2025-53773 (.vscode/settings.json), CVE-2025-54136; vim :help exrc; the Emacs manual, Directory Variables.
	".vscode", ".vscode-server", ".vs", "*.code-workspace", ".idea", ".fleet", ".zed", ".config/zed", ".nova", ".theia", "*.sublime-project",
	"*.sublime-workspace", "*.sublime-build",
	".exrc", "_exrc", ".nexrc", ".vim", ".vimrc", "_vimrc", ".gvimrc", ".lvimrc", ".vimrc.local", "vimfiles", ".nvimrc", ".nvim.lua", ".config/nvim", ".config/vim",
	".emacs", ".emacs.d", ".config/emacs", ".dir-locals.el", ".dir-locals-2.el", ".helix", ".config/helix", ".kakrc", ".config/kak", ".nanorc", ".config/nano",
	".config/micro", ".externaltoolbuilders", ".lite_project.lua", ".lite_project", ".kateproject", ".kateproject.*", ".tm_properties",

	// Agents run the hooks, skills and MCP servers of a project. Source: CVE-2025-54135
	// (.cursor/mcp.json), CVE-2025-59944 (the same in other case), CVE-2025-59536 (.claude/settings.json).
	".sidestick", ".config/sidestick", ".claude", ".claude.json", ".cursor", ".codex", ".gemini", ".qwen", ".windsurf", ".codeium", ".kiro", ".trae", ".roo", ".cline",
	".clinerules/hooks", ".continue", ".aider*", ".copilot", ".github/copilot",
	".agents/hooks", "mcp.json", ".amazonq", ".augment", ".junie", ".factory",
	".goose", ".opencode", "opencode.json", "opencode.jsonc",
	".crush", ".crush.json", "crush.json", ".amp", ".openhands", ".zencoder", ".tabnine", ".qodo", ".warp", ".void",
	".pi/extensions", ".pi/settings.json", ".iflow", ".qoder", ".kilo", ".kilocode",

	// Shells read these when they start or end. Source: the manuals of bash, zsh, ksh, tcsh, fish,
	// nushell, elvish, xonsh and PowerShell.
	".profile", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".bash_completion", ".bash_functions", ".bash.d", ".bashrc.d",
	".bash_it", ".blerc", ".inputrc",
	".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".zsh", ".zsh_custom", ".oh-my-zsh", ".zplug", ".antigen", ".zinit", ".p10k.zsh", ".config/zsh",
	".kshrc", ".mkshrc", ".shrc", ".ashrc", ".yashrc", ".esrc", ".rcrc",
	".cshrc", ".tcshrc", ".login", ".logout", ".cshdirs", ".config/fish", ".config/nushell", ".config/elvish", ".elvish", ".xonshrc", ".config/xonsh",
	".config/powershell", "*profile.ps1", ".config/starship.toml", ".config/bash",

	// Folders that set up the shell or the tools when a user enters them. Source: the documentation
	// of direnv, mise, asdf, dev containers and Gitpod.
	".envrc", ".direnv", ".direnvrc", ".config/direnv", ".tool-versions", ".asdfrc", "mise.toml", "mise.*.toml", "mise/config.toml", "mise/config.*.toml", "mise/conf.d", ".config/mise.toml", ".mise.toml", ".mise.*.toml", ".mise",
	".config/mise", ".rtx.toml", ".shadowenv.d", ".autoenv", ".autoenv.zsh", ".sdkmanrc", ".prototools",
	".devcontainer", ".devcontainer.json", "devcontainer.json", ".gitpod.yml", ".gitpod.dockerfile", ".idx", ".replit", ".codesandbox", ".ona",

	// Package managers and compilers take programs, plugins and registries from these. Source: the
	// documentation of npm, yarn, pnpm, bun, pip, conda, cargo, rustup, Maven, Gradle, Bundler, NuGet, Bazel.
	".npmrc", ".yarnrc", ".yarnrc.*", ".yarn/releases", ".yarn/plugins", ".yarn/sdks", ".pnp.*", ".pnpmfile.*", "bunfig.toml", ".bunfig.toml", ".corepack.env",
	"pip.conf", "pip.ini", ".pip", ".pypirc", ".pydistutils.cfg", ".condarc", ".mambarc",
	"uv.toml", ".config/uv", ".config/pip", ".config/pypoetry", ".cargo/config", ".cargo/config.toml", ".cargo/bin", ".cargo/env", "rust-toolchain",
	"rust-toolchain.toml", ".mvn", ".m2", ".gradle/init.d", ".gradle/init.gradle*", ".gradle/gradle.properties", "gradle/wrapper",
	".jvmopts", ".sbtopts", ".bundle", ".gemrc", ".composer", ".config/composer", "nuget.config", ".nuget", ".bazelrc", ".bazeliskrc", "tools/bazel", ".config/go", ".opam",
	".cabal", ".stack", ".nix-profile", ".config/nix", ".config/nixpkgs", ".config/home-manager", ".config/containers",

	// Debuggers, interpreters and clients of databases read these from the folder or the home.
	// Source: the manual of each; for sitecustomize and .pth files the Python docs, module site.
	".gdbinit", ".gdbearlyinit", ".lldbinit", ".pdbrc", ".pdbrc.py", ".pythonrc", ".pythonrc.py", ".pythonstartup", "sitecustomize.py", "usercustomize.py",
	"site-packages/*.pth", "dist-packages/*.pth", ".ipython", ".jupyter", ".irbrc", ".pryrc", ".ocamlinit", ".psysh.php", ".rdbgrc", ".byebugrc", ".ghci", ".iex.exs",
	".rprofile", ".renviron", ".octaverc", ".julia/config", ".sbclrc", ".clisprc", ".guile", ".scalarc", ".sqliterc", ".psqlrc", ".my.cnf", ".mylogin.cnf",
	".mongorc.js", ".mongoshrc.js", ".duckdbrc", ".config/psql",
	".screenrc", ".tmux.conf", ".tmux", ".config/tmux", ".config/zellij", ".wezterm.lua", ".config/wezterm", ".config/kitty", ".ackrc", ".lesskey", ".lessfilter",
	".mailcap", ".muttrc", ".curlrc", ".wgetrc", ".perldb", ".gnupg", ".latexmkrc", "latexmkrc",

	// Keys and credentials that name a program, and who may log in. Source: man sshd, man ssh_config
	// (ProxyCommand), the AWS docs (credential_process), the docker docs (credHelpers), the kubectl docs (exec).
	".ssh", "authorized_keys", "authorized_keys2", ".rhosts", ".shosts", ".aws/config", ".aws/credentials", ".docker/config.json", ".docker/cli-plugins", ".kube",
	".terraformrc", ".config/gh", ".config/gcloud", ".pam_environment",

	// The system starts these at a time or when the user logs in. Source: man crontab, man systemd.unit,
	// the XDG Autostart Specification, launchd.plist(5).
	".xprofile", ".xinitrc", ".xsession", ".xsessionrc", ".xserverrc", ".config/autostart", ".config/systemd", ".config/environment.d",
	".config/plasma-workspace", ".config/upstart", ".config/hypr", ".config/sway", ".config/i3", ".i3", ".config/bspwm",
	".config/awesome", ".config/openbox", ".local/bin", ".local/share/applications", ".local/share/dbus-1", ".local/share/systemd",
	".local/share/nautilus/scripts", "library/launchagents", "library/launchdaemons", "library/application scripts", "start menu/programs/startup",
	"crontabs", "cron.d", "cron.hourly", "cron.daily", "cron.weekly", "cron.monthly", "sudoers.d", "ld.so.preload", "profile.d", ".forward", ".procmailrc",
}
