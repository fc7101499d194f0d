package effects

import "github.com/sidestick-dev/sidestick/internal/lazy"

// launch says where in its arguments a program names the program that it runs.
type launch struct {
	// options are the ones that may come before that program, separated by spaces. A colon
	// means that a value follows ("-u:"), $ that the value is a command for a shell ("-c$"),
	// ! that it is a program ("--entrypoint!"), > that the program comes right after the
	// option ("--command>"). Others have no value.
	options string
	// operands is how many arguments come before the program, apart from options. many means
	// that the program comes only behind an option or --.
	operands int
	// shell means that without a program it starts a shell, which reads commands.
	shell bool
}

const many = 1 << 10

// launchers run the program that their arguments name: as another user, on another
// machine, once for each of many inputs, later, or with code of their own. A command with
// one of them is unclear. Options that are not listed are taken to have no value.
var launchers = lazy.Value[map[string]launch]{Make: func() map[string]launch {
	return map[string]launch{
		"sudo": {options: "-u: -g: -h: -p: -C: -r: -t: -T: -U: -D: -R: --user: --group: --host: --chdir: --prompt:"}, "doas": {options: "-u: -C: -a:"},
		"run0": {options: "-u: -g: -D: --user: --group:"}, "pkexec": {options: "--user:"}, "gosu": {operands: 1}, "su-exec": {operands: 1}, "setuidgid": {operands: 1},
		"su": {options: "-s: -c$ --command$ --shell: -g: -G:", operands: many}, "runuser": {options: "-u: -c$ --command$ -s: -g: -G:"}, "sg": {options: "-c$", operands: 1}, "newgrp": {operands: 1},
		"env": {options: "-u: -C: -S$ --split-string$ --unset: --chdir:"}, "xargs": {options: "-I: -n: -P: -L: -d: -E: -s: -a: --arg-file: --max-args: --max-procs: --delimiter:"},
		"parallel": {options: "-j: -I: --jobs: -a: --arg-file: --colsep: -N: -n: --results: --joblog:"}, "rush": {options: "-j: -i:"}, "pexec": {}, "rargs": {options: "-j: -p:"},
		"watch": {options: "-n: -d --interval:"}, "entr": {}, "watchexec": {options: "-w: -e: -i: -f:"}, "reflex": {options: "-r: -g: -R:"},
		"setsid": {}, "stdbuf": {options: "-i: -o: -e:"}, "unbuffer": {}, "rlwrap": {}, "script": {options: "-c$ --command$ -O: -I: -B: -T: -E:", operands: many},
		"scriptreplay": {}, "expect": {options: "-c$"}, "logsave": {operands: 1}, "daemonize": {options: "-o: -e: -p: -c:"}, "daemon": {options: "-n: --name:"}, "openvt": {options: "-c:"},
		"ionice": {options: "-c: -n: --class: --classdata:"}, "chrt": {options: "-T: -P: -D:", operands: 1}, "taskset": {operands: 1}, "numactl": {options: "-N: -m: -C: -i:"},
		"prlimit": {}, "softlimit": {options: "-m: -d: -o: -p: -f:"}, "choom": {options: "-n:"}, "cpulimit": {options: "-l: -e: -p:"}, "cgexec": {options: "-g:"}, "schedtool": {options: "-n: -a: -e>"},
		"setarch": {}, "arch": {}, "linux32": {}, "linux64": {}, "i386": {}, "x86_64": {}, "personality": {},
		"setpriv": {}, "capsh": {options: "-c$"}, "unshare": {options: "-R: -w: -S: -G:"}, "nsenter": {options: "-t: -S: -G:"}, "chroot": {operands: 1}, "lxc-attach": {options: "-n:"},
		"fakeroot": {options: "-i: -s:"}, "fakechroot": {}, "proot": {options: "-r: -b: -w: -q: -R: -S:"}, "firejail": {}, "bwrap": {operands: 0}, "nsjail": {}, "systemd-nspawn": {options: "-D: -M:"},
		"schroot": {options: "-c: -u: -d:"}, "flatpak-spawn": {}, "toolbox": {operands: 1}, "distrobox": {options: "-n: -e>", operands: many}, "apptainer": {operands: 2}, "singularity": {operands: 2},
		"systemd-run": {options: "-p: -u: --unit: --property: -E: --uid: --gid:"}, "systemd-inhibit": {options: "--what: --who: --why: --mode:"}, "start-stop-daemon": {options: "-S -x! --exec! -a! --startas! -p: -u: -c: -d:", operands: many},
		"flock": {options: "-w: -E: -c$ --command$", operands: 1}, "lockf": {options: "-t:", operands: 1}, "setlock": {operands: 1}, "chronic": {}, "ifne": {},
		"strace": {options: "-e: -o: -p: -s: -E: -u: -a: -P: -I: -O: -S:"}, "ltrace": {options: "-e: -o: -p: -s: -u: -x: -n:"}, "gdb": {options: "-ex: -x: --args>", operands: many}, "perf": {operands: 1, options: "-e: -o: -F: -p:"},
		"valgrind": {}, "heaptrack": {}, "rr": {operands: 1}, "hyperfine": {options: "-w: -r: -m: -M: --warmup: --runs: -p$ --prepare$ -c$ --cleanup$ -s$ --setup$"}, "multitime": {options: "-n: -I: -i$ -o$ -r$"},
		"time": {options: "-f: -o: --format: --output:"}, "catchsegv": {}, "faketime": {options: "-f:", operands: 1}, "datefudge": {operands: 1}, "eatmydata": {}, "xvfb-run": {options: "-n: -s: -a -e: -f: -p: -w:"},
		"dbus-run-session": {}, "dbus-launch": {}, "torsocks": {}, "torify": {}, "proxychains": {options: "-f:"}, "proxychains4": {options: "-f:"}, "tsocks": {}, "caffeinate": {options: "-t: -w:"}, "ssh-agent": {options: "-a: -t:"},
		"ssh": {options: "-o: -i: -p: -l: -F: -J: -L: -R: -D: -b: -c: -e: -m: -O: -S: -W: -w: -E: -I: -B: -Q:", operands: 1}, "autossh": {options: "-M: -o: -i: -p: -l: -F:", operands: 1}, "sshpass": {options: "-p: -f: -d: -P:"},
		"pssh": {options: "-h: -H: -l: -o: -e: -t: -p:"}, "parallel-ssh": {options: "-h: -H: -l: -o: -e: -t: -p:"}, "dsh": {options: "-m: -g:"}, "clush": {options: "-w: -g:"}, "salt": {operands: 2}, "check_by_ssh": {},
		"busybox": {}, "toybox": {}, "exec": {options: "-a:"}, "coproc": {}, "ld.so": {options: "--library-path: --preload: --argv0:"}, "dosbox": {options: "-c$"}, "wine": {}, "qemu-x86_64": {}, "box64": {},
		"tini": {}, "dumb-init": {}, "s6-setuidgid": {operands: 1}, "chpst": {options: "-u: -U: -b: -e: -n:"}, "envdir": {operands: 1},
		"dotenv": {options: "-e: -f:"}, "dotenvx": {operands: 1, options: "-f: -e:"},
		"concurrently": {}, "cross-env": {}, "cross-env-shell": {}, "loginctl": {}, "run-one": {},
	}
}}

// runners run a program of a project or of a package. A rule that names the runner covers
// them; deny rules also judge the program that they run. An option that is not listed makes the
// command unclear. Source: the manual or the --help of each.
var runners = lazy.Value[map[string]launch]{Make: func() map[string]launch {
	return map[string]launch{
		"npx": npmExec, "npm exec": npmExec, "npm x": npmExec, "pnpm dlx": pnpmExec, "pnpm exec": pnpmExec, "pnpx": pnpmExec,
		"yarn dlx": {options: "-p: --package: -q --quiet"}, "yarn exec": {}, "yarn run": {options: "-T --top-level -B --binaries-only --silent -s"}, "npm explore": {operands: 1},
		"bunx": bunx, "bun x": bunx, "bun run": {options: "--silent --bun --watch --hot"},
		"uv run": uvRun, "uv tool run": uvRun, "uvx": uvRun, "rye run": {}, "pdm run": {options: "-s --site-packages --venv:"}, "pixi run": {options: "-e: --environment: --frozen --locked"},
		"pipx run":   {options: "--spec: --python: --pip-args: --no-cache --path --quiet -q -v --verbose --system-site-packages --index-url: -i: --fetch-missing-python"},
		"poetry run": {}, "pipenv run": {}, "hatch run": {}, "hatch env run": {options: "-e: --env:"}, "tox exec": {options: "-e:", operands: many}, "conda run": condaRun, "mamba run": condaRun, "micromamba run": condaRun,
		"bundle exec": {options: "--keep-file-descriptors --gemfile:"}, "rbenv exec": {}, "pyenv exec": {}, "nodenv exec": {}, "goenv exec": {}, "jenv exec": {}, "asdf exec": {}, "volta run": {options: "--node: --npm: --yarn: --no-npm --bundled-npm"},
		"mise exec": miseExec, "mise x": miseExec, "rtx exec": miseExec, "rtx x": miseExec, "fnm exec": {options: "--using: --"}, "direnv exec": {operands: 1}, "devbox run": {options: "-c: --config: -e: --env: --pure -q --quiet"},
		"nix run": {options: "--impure --offline"}, "nix shell": nixShell, "nix develop": nixShell, "nix-shell": {options: "--run$ --command$ -p -I: --arg: --argstr: --pure --packages -A: --attr: -i!", operands: many, shell: true},
		"guix shell": {shell: true, operands: many, options: "-m: -f: --pure --container -C"}, "guix environment": {shell: true, operands: many}, "flatpak run": {options: "--command!", operands: 1}, "snap run": {options: "--shell"},
		"docker run": dockerRun, "docker create": dockerRun, "docker exec": dockerExec, "docker compose run": composeRun, "docker compose exec": composeRun,
		"podman run": dockerRun, "podman create": dockerRun, "podman exec": dockerExec, "podman unshare": {}, "nerdctl run": dockerRun, "nerdctl exec": dockerExec, "devcontainer exec": {options: "--workspace-folder: --container-id:"},
		"kubectl exec": kubectlExec, "oc exec": kubectlExec, "oc rsh": kubectlExec, "k3s kubectl exec": kubectlExec, "kubectl run": {options: "--image: --restart: --rm -i -t --stdin --tty --command -n: --namespace: --env: --labels: -l:", operands: 1},
		"kubectl debug": {options: "--image: -i -t -n: --namespace: --target: -c: --container: --copy-to: --profile:", operands: 1}, "lxc exec": {options: "--env: --cwd: --user:", operands: 1}, "incus exec": {options: "--env: --cwd: --user:", operands: 1},
		"vagrant ssh": {options: "-c$ --command$", operands: many, shell: true}, "poetry shell": {shell: true}, "pipenv shell": {shell: true}, "hatch shell": {shell: true}, "devbox shell": {shell: true}, "gcloud compute ssh": {options: "--command$ --zone: --project:", operands: many}, "heroku run": {options: "-a: --app: --no-tty -x -s: --size:"}, "fly ssh console": {options: "-C$ --command$ -a: --app:", operands: many},
		"dotnet exec": {}, "dotnet tool run": {}, "opam exec": {options: "--switch:"}, "stack exec": {}, "cabal exec": {options: "-v"}, "cargo watch": {options: "-x: -s$ -w: --shell$ --exec: -q -c --clear", operands: many}, "just": {options: "-c> --command> -f: --justfile: -d: --working-directory: --set: -n --dry-run -q -l --list --summary", operands: many},
		"ccache": {}, "sccache": {}, "distcc": {}, "bear": {options: "--output: --append -o:", operands: many}, "grc": {}, "composer exec": {}, "nvm exec": {options: "--silent", operands: 1}, "nodemon": {options: "-w: --watch: -e: --ext: -i: --ignore: -V -q -x$ --exec$", operands: many},
		"op run": {options: "--env-file:"}, "doppler run": {options: "--command$ -p: --project: -c: --config:"}, "infisical run": {options: "--command$ --env: --path:"}, "aws-vault exec": {operands: 1}, "chamber exec": {operands: 1}, "sops exec-env": {operands: 1}, "sops exec-file": {operands: 1},
		"act": {options: "-j: --job: -W: -P: -s: -l --list -n --dryrun -e: --env-file: --secret-file:", operands: many}, "git bisect run": {}, "git submodule foreach": {options: "--recursive --quiet -q"},
	}
}}

// Options that several runners share.
var (
	npmExec    = launch{options: "-y --yes -n --no --no-install --ignore-existing -q --quiet -s --silent --offline --prefer-offline --prefer-online -p: --package: --registry: --cache: --prefix: -C: -w: --workspace: -ws --workspaces --include-workspace-root -c$ --call$"}
	pnpmExec   = launch{options: "--package: -C: --dir: -r --recursive --silent -s --parallel --filter: -F: --no-bail --workspace-root -w --allow-build:"}
	bunx       = launch{options: "--bun -p: --package: --silent --verbose"}
	condaRun   = launch{options: "-n: --name: -p: --prefix: --no-capture-output --live-stream --cwd: -v --verbose"}
	miseExec   = launch{options: "-c$ --command$ -C: --cd: -j: --jobs: -q --quiet -y --yes", operands: many}
	nixShell   = launch{options: "-c> --command> --impure --offline --ignore-environment -i --keep: -k: -I:", operands: many, shell: true}
	dockerExec = launch{options: "-i -t -d --interactive --tty --detach -e: --env: -u: --user: -w: --workdir: --env-file: --privileged --detach-keys:", operands: 1}
	composeRun = launch{options: `-T --no-TTY --no-tty -i -t --interactive --tty -d --detach --rm --build --no-deps --service-ports -P --use-aliases --quiet-pull --remove-orphans -e: --env: -u: --user:
		-w: --workdir: -v: --volume: -p: --publish: --name: -l: --label: --index: --entrypoint! --privileged`, operands: 1}
	kubectlExec = launch{options: "-n: --namespace: -c: --container: -i -t --stdin --tty --context: -q --quiet -f: --filename: --pod-running-timeout:", operands: 1}
	uvRun       = launch{options: `--frozen --locked --no-sync --isolated --no-project --offline --all-extras --dev --no-dev --all-groups --all-packages -q --quiet -v --verbose --active --exact
		--no-editable -s --script -U --upgrade -n --no-cache --no-env-file --no-config --managed-python --no-build --no-progress --with: -w: --with-editable: --with-requirements: --extra: --group:
		--only-group: --no-group: --no-extra: --python: -p: --package: --project: --directory: --env-file: --index: --index-url: --default-index: --from: -m: --module: --reinstall --refresh --prerelease:`}
	dockerRun = launch{options: `-i -t -d --interactive --tty --detach --rm --init --privileged -P --publish-all --read-only -q --quiet --no-healthcheck --oom-kill-disable --sig-proxy --entrypoint!
		-e: --env: --env-file: -v: --volume: --mount: -p: --publish: --expose: -w: --workdir: -u: --user: --name: --network: --net: --network-alias: --hostname: -h: --add-host: --dns: -l: --label: --label-file:
		--platform: --pull: --restart: --gpus: --device: --cap-add: --cap-drop: --security-opt: --shm-size: -m: --memory: --memory-swap: --cpus: -c: --cpu-shares: --cpuset-cpus: --ulimit: --tmpfs: --volumes-from:
		--ipc: --pid: --userns: --uts: --cgroupns: --group-add: --log-driver: --log-opt: --stop-signal: --stop-timeout: --health-cmd$ --cidfile: --link: --runtime: --isolation: --sysctl: --storage-opt: -a: --attach: --userns:`, operands: 1}
)

// opaque programs run other programs that cannot be found in their arguments, or code of their
// own language. Source: GTFOBins, functions shell and command.
var opaque = set{names: `eval source . trap alias unalias at batch crontab socat nc ncat netcat telnet rsh anacron incrontab fcron
	rlogin mosh mosh-server screen tmux tmate byobu dtach abduco zellij gdbserver sqlite3 psql mysql mariadb redis-cli mongo mongosh duckdb isql sqlplus clickhouse-client
	ftp sftp lftp ncftp tftp smbclient run-parts run-mailcap update-alternatives debugfs dmsetup osascript open xdg-open gio start wall vipw visudo
	bpftrace stap dtrace ansible ansible-playbook ansible-console puppet knife msfconsole msgfilter csvtool logrotate facter ginsh tdbtool genie
	nu xonsh elvish osh ysh yash mksh oksh posh rc es sash scsh nash runscript distrobox-enter
	erl iex ghc runghc runhaskell ocaml sbcl clisp ecl clojure clj scheme chicken-csi csi qjs mujs rhino jjs jrunscript bb janet fennel picolisp forth gforth swipl
	gimp blender maxima wolframscript matlab xdotool xte wmctrl dosemu rtorrent m4 gpsh winpty conpty mintty xterm gnome-terminal konsole alacritty kitty wezterm foot urxvt`}

// codeOptions are subcommands and options with which a program runs code or another program,
// for programs that usually do not. Source: GTFOBins and the manual of each program.
var codeOptions = lazy.Value[map[string]riskyOptions]{Make: func() map[string]riskyOptions {
	return map[string]riskyOptions{
		"deno": {words: []string{"eval", "repl"}}, "bun": {words: []string{"repl", "-e", "-p", "--eval", "--print"}}, "swift": {words: []string{"repl", "-e"}},
		"tsx": {words: []string{"-e", "-p", "--eval", "--print"}}, "ts-node": {words: []string{"-e", "-p", "--eval", "--print"}},
		"dotnet": {words: []string{"fsi"}}, "npm": {words: []string{"--call"}}, "just": {long: []string{"shell", "shell-arg", "chooser", "choose"}},
		"pdflatex": {long: []string{"shell-escape", "enable-write18"}}, "latex": {long: []string{"shell-escape"}}, "xelatex": {long: []string{"shell-escape"}},
		"lualatex": {long: []string{"shell-escape"}}, "latexmk": {short: "e", long: []string{"shell-escape"}},
		"aria2c":  {long: []string{"on-download-complete", "on-download-start", "on-download-error", "on-download-stop", "on-bt-download-complete", "conf-path"}},
		"certbot": {long: []string{"pre-hook", "post-hook", "deploy-hook", "renew-hook", "manual-auth-hook"}}, "openssl": {words: []string{"engine", "-engine", "-provider", "-config"}},
		"openvpn": {long: []string{"up", "down", "config", "route-up", "script-security"}}, "rake": {short: "eEp", long: []string{"execute"}}, "restic": {long: []string{"password-command"}},
		"service": {words: []string{"../", "/"}}, "scrot": {short: "e", long: []string{"exec"}}, "pidstat": {short: "e"}, "sqlmap": {long: []string{"eval", "os-cmd", "os-shell"}},
		"sshuttle": {short: "e", long: []string{"ssh-cmd"}}, "sshfs": {words: []string{"-ossh_command", "ssh_command="}}, "cowsay": {short: "f"}, "exiftool": {words: []string{"-if", "-config", "-@"}},
		"enscript": {short: "I"}, "task": {words: []string{"exec", "execute"}}, "terraform": {words: []string{"console"}}, "rails": {words: []string{"console", "runner", "dbconsole"}},
		"mix": {short: "e", words: []string{"eval", "cmd"}}, "gradle": {short: "I", long: []string{"init-script"}}, "mvn": {words: []string{"exec:", "-Dexec."}}, "helm": {long: []string{"post-renderer"}},
		"kustomize": {long: []string{"enable-exec", "enable-alpha-plugins"}}, "rclone": {long: []string{"password-command", "sftp-ssh", "metadata-mapper"}}, "borg": {long: []string{"rsh"}},
		"jj": {long: []string{"config", "config-toml", "config-file"}}, "busctl": {words: []string{"--address="}}, "dnf": {short: "c", long: []string{"config", "setopt"}}, "gh": {words: []string{"alias"}},
	}
}}

// readsCode are programs that run the code on their input if an argument is a dash.
var readsCode = set{names: "deno bun tsx ts-node swift"}
