# What a user does in a project after a session. The arguments are the project, the folder
# outside of it that must not change, and the file for the steps at which it has changed.
work=$1 outside=$2 found=$3 stamp=$3.stamp
touch "$stamp" "$found"
sleep 0.01

# step NAME: if something outside of the project has changed, it was at this step.
step() {
	if [[ $outside -nt $stamp ]]; then
		printf '%s in %s\n' "$1" "$PWD" >>"$found"
		touch "$stamp"
		sleep 0.01
	fi
}

g() {
	git "$@" </dev/null
	local code=$?
	step "git $*"
	return $code
}

# What a user does in a repository. In the folder of a bare one, most of it fails.
repository() {
	if ! g status; then
		g log -1
		g fetch
		return
	fi
	g diff
	g log -3
	g add -A
	g commit
	g fetch
	if [[ -d .git/rebase-merge || -d .git/rebase-apply ]]; then g rebase --continue; fi
	if [[ -d .git/sequencer ]]; then g cherry-pick --continue; fi
	g status --short
}

# All folders, those at the top first, and of the folders of git those that are repositories themselves. In
# a folder with neither .git nor HEAD git is in the repository of the folder above; those are left out unless ALL.
declare -A seen
mapfile -d '' folders < <(find "$work" -name objects -path '*.git/*' -prune -o -type d -printf '%d\t%p\0' 2>/dev/null | sort -zn | cut -zf2- | head -z -n 500)
for folder in "${folders[@]}"; do
	[[ $folder == */.git/* && ! -e $folder/HEAD && ! -L $folder/HEAD && ! -e $folder/.git ]] && continue
	[[ ! $ALL && $folder != "$work" && ! -e $folder/HEAD && ! -L $folder/HEAD && ! -e $folder/.git && ! -L $folder/.git ]] && continue
	cd "$folder" 2>/dev/null || continue
	which=$(git rev-parse --absolute-git-dir --show-toplevel 2>&1)
	step 'git rev-parse'
	[[ ${seen[x$which]} ]] && continue
	seen[x$which]=1
	repository
done
cd "$work" || exit 0
g status # now with the folders that have become submodules
g diff
g commit --allow-empty

bash -lc : </dev/null
step 'bash -l'
HOME=$work bash -lc : </dev/null
step 'bash -l at home'
HISTFILE='' HOME=$work bash -ic : </dev/null
step 'bash -i at home'
HOME=$work git status </dev/null
step 'git status at home'
for shell in zsh fish; do
	if command -v $shell >/dev/null; then
		$shell -lc true </dev/null
		step "$shell -l"
		HOME=$work $shell -lc true </dev/null
		step "$shell -l at home"
	fi
done

sidestick run 'go on' </dev/null
step 'sidestick run'
if [[ -e docs/.sidestick || -e docs/.mcp.json || -e docs/.github || -e docs/.git ]]; then
	cd docs && sidestick run 'go on' </dev/null
	step 'sidestick run'
	cd "$work" || exit 0
fi
if [[ $NPM ]] && command -v npm >/dev/null; then
	npm install --offline --no-audit --no-fund </dev/null
	step 'npm install'
fi
exit 0
