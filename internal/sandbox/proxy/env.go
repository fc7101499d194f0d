package proxy

// Env returns the environment variables that lead programs to a proxy at addr, such as
// "127.0.0.1:3128". Programs on the same machine are reached without it. The names are in
// both cases, because programs read one or the other.
func Env(addr string) []string {
	const local = "localhost,127.0.0.1,::1"
	return []string{
		"http_proxy=http://" + addr, "HTTP_PROXY=http://" + addr,
		"https_proxy=http://" + addr, "HTTPS_PROXY=http://" + addr,
		"all_proxy=socks5h://" + addr, "ALL_PROXY=socks5h://" + addr,
		"no_proxy=" + local, "NO_PROXY=" + local,
		"NODE_USE_ENV_PROXY=1", // node reads the others only with it, from version 24 on
	}
}
